import type { HookLogger } from '@hookline/hook-api';
import { environment, importFile, localRanks, resolveFrom } from '#host';
import { trainerError } from '../errors.js';
import type { Collective } from './collective.js';
import { type Launcher, launchedBy } from './launcher.js';
import type { AccelerateOptions, Strategy } from './strategy.js';
import { World } from './world.js';

const MPI_PACKAGE = '@hookline/accelerate-mpi';
const DEFAULT_TIMEOUT = 300;

/** What `@hookline/accelerate-mpi` exports. */
interface MpiPackage {
  connect(options: { timeout: number; launcher: Launcher }): Promise<Collective>;
}

/** The ranks that train together; undefined where this process trains alone. */
export async function accelerate(
  option: 'accelerate' | AccelerateOptions | Strategy,
  root: string,
  logger: HookLogger,
): Promise<World | undefined> {
  if (typeof option === 'object' && 'collective' in option) return worldOf(option.name, option.collective);
  const { processes = 1, timeout = DEFAULT_TIMEOUT } = typeof option === 'string' ? {} : option;
  const launcher = launchedBy(environment());
  if (launcher && processes > 1) {
    throw trainerError(
      'BAD_LAUNCH',
      `strategy asks for ${processes} processes, but ${launcher.name} has started ${launcher.ranks} already. Leave processes out under a launcher, or start the script without one.`,
    );
  }
  if (launcher) return worldOf('accelerate', await connectMpi(root, timeout, launcher));
  if (processes === 1) {
    logger.info('accelerate: this process trains alone. Start it with mpirun -n 4, or set processes: 4.');
    return undefined;
  }
  return worldOf('accelerate', await localRanks({ processes, timeout }));
}

function worldOf(name: string, collective: Collective): World | undefined {
  return collective.world === 1 ? undefined : new World(name, collective);
}

async function connectMpi(root: string, timeout: number, launcher: Launcher): Promise<Collective> {
  let file: string;
  try {
    file = resolveFrom(root, MPI_PACKAGE);
  } catch (error) {
    throw trainerError(
      'STRATEGY_MISSING',
      `The strategy "accelerate" under a launcher of MPI needs ${MPI_PACKAGE}, which is not installed in this project: npm install ${MPI_PACKAGE}. Or train on this machine alone, without the launcher, with strategy: { name: "accelerate", processes: 4 }.`,
      error,
    );
  }
  const { connect } = (await importFile(file)) as MpiPackage;
  return connect({ timeout, launcher });
}
