import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mpiError } from './errors.js';
import { librariesFor } from './libraries.js';
import { MpiRank } from './mpi-rank.js';

export interface ConnectOptions {
  /** How many seconds a rank may keep the others waiting. */
  readonly timeout: number;
  /** Who has started this process, and as one of how many. */
  readonly launcher: { readonly name: string; readonly ranks: number };
}

/** Of this process: MPI can be initialised once, so all trainers share it. */
let connected: Promise<MpiRank> | undefined;

/** Joins the other processes of the MPI job. */
export function connect(options: ConnectOptions): Promise<MpiRank> {
  connected ??= join(options);
  return connected;
}

async function join({ timeout, launcher }: ConnectOptions): Promise<MpiRank> {
  const libraries = librariesFor(process.env, process.platform);
  leaveMemoryAlone(process.env);
  const rank = await MpiRank.start(threadFile(), { timeout, libraries });
  if (rank.world === launcher.ranks) return rank;
  // Each of them would train alone, and overwrite what the others save.
  rank.fail();
  throw mpiError(
    'BAD_LAUNCH',
    `${launcher.name} has started ${launcher.ranks} processes, but to ${rank.library} this is process ${rank.rank + 1} of ${rank.world}: launcher and library do not belong together. Start the script with the launcher of that library (under Slurm: srun --mpi=pmix or --mpi=pmi2), or name the other library: HOOKLINE_MPI=/path/to/libmpi.so`,
  );
}

/**
 * MPI libraries can rewrite the machine code of mmap and its relatives, to learn of memory that moves, while threads of V8
 * call these. A process that crashed inside of V8's collector under MPICH made us switch that off: a precaution, not a
 * proven cause. It costs networks that read memory directly a cache. What somebody has set stays.
 */
function leaveMemoryAlone(env: NodeJS.ProcessEnv): void {
  env.UCX_MEM_EVENTS ??= 'n';
  env.OMPI_MCA_memory ??= '^patcher';
}

/** Beside this file in the package, in a folder of the sources. */
function threadFile(): URL {
  const built = new URL('./mpi-thread.js', import.meta.url);
  return existsSync(fileURLToPath(built)) ? built : new URL('./mpi-thread.mjs', import.meta.url);
}
