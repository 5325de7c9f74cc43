import type { WasmBackend } from '../backend/wasm-backend.js';
import type { ModuleExports } from '../module/exports.js';
import type { CompiledModule } from '../module/web-assembly.js';
import { BOARD_BYTES } from './board.js';
import { type NodeWorker, startWorker } from './node-worker.js';
import { type ExportName, Team } from './team.js';

export interface StartedTeam {
  readonly team: Team;
  readonly board: SharedArrayBuffer;
  readonly workers: readonly NodeWorker[];
  /** Ends the workers and frees their memory. */
  end(): void;
}

/**
 * A team of this many threads, including the calling one, in the shared memory of a backend. The workers compute with
 * the native kernels of an addon too, where there is one.
 */
export async function startTeam(
  { wasm }: WasmBackend,
  compiled: CompiledModule,
  module: ModuleExports,
  threads: number,
  addon?: string,
): Promise<StartedTeam> {
  const { memory } = wasm.asm;
  const names = Object.keys(module) as ExportName[];
  const board = new SharedArrayBuffer(BOARD_BYTES);
  const team = new Team({ board, memory, module, names, threads });
  const workspaces = Array.from({ length: threads - 1 }, () => wasm._malloc(module.workspaceBytes()) >>> 0);
  const started = await Promise.allSettled(
    workspaces.map((workspace) => startWorker({ board, compiled, memory, workspace, names, addon })),
  );
  const workers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const end = (): void => {
    team.close();
    for (const worker of workers) void worker.terminate();
    // Not in use: an operation returns when all of its parts are finished.
    for (const workspace of workspaces) wasm._free(workspace);
  };
  const failed = started.find((each) => each.status === 'rejected');
  if (!failed) return { team, board, workers, end };
  end();
  throw failed.reason;
}
