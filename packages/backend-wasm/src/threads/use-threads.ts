import type { KernelContext } from '../backend/kernel-context.js';
import type { Threads } from '../enabled.js';
import { BackendWasmError } from '../errors.js';
import type { LoadedModule } from '../module/load-module.js';
import { MOST_PARTS } from './board.js';
import { LateTeam, type Members } from './late-team.js';
import { availableThreads } from './node-worker.js';
import { startTeam } from './start-team.js';
import { threadedModule } from './threaded-module.js';

/** An operation is cut into up to 4 parts for each thread. */
const MOST_THREADS = MOST_PARTS / 4;

/** How many threads the option asks for. */
export function threadsOf(option: number | 'auto'): number {
  if (option === 1) return 1;
  const available = availableThreads();
  if (option === 'auto') return Math.min(available, MOST_THREADS);
  if (Number.isInteger(option) && option > 1 && option <= MOST_THREADS) return option;
  throw new BackendWasmError(
    'NO_THREADS',
    `\`threads\` is ${option}, expected 'auto' or a whole number from 1 to ${MOST_THREADS}.`,
  );
}

/**
 * Lets the kernels of a backend use other threads, which start now, or, if `late`, when the first operations have shown
 * that there is work for them. Returns how to end them.
 */
export async function useThreads(
  context: KernelContext,
  { compiledFor }: LoadedModule,
  { threads, late }: Threads,
  addon: string | undefined,
): Promise<() => void> {
  if (threads === 1) return () => {};
  const { backend, module } = context;
  const start = () => startTeam(backend, compiledFor(backend.wasm.asm.memory), module, threads, addon);
  const members: Members & { end(): void } = late ? new LateTeam(start) : await start();
  context.useModule(threadedModule(module, members), threads);
  return () => members.end();
}
