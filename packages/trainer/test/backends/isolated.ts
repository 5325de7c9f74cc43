import { fileURLToPath } from 'node:url';
import { type IsolatedRun, runIsolated as runIn } from '@hookline/test-programs';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a module in a fresh process, from the folder of this package: these tests are about how a process starts. */
export function runIsolated<Value>(code: string, ...args: string[]): Promise<IsolatedRun<Value>> {
  return runIn(packageRoot, code, ...args);
}
