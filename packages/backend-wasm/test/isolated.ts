import { fileURLToPath } from 'node:url';
import { runIsolated as runIn } from '@hookline/test-programs';

export const packageRoot: string = fileURLToPath(new URL('..', import.meta.url));

/** Runs a module in a fresh process, from the folder of this package. */
export async function runIsolated<Value>(
  code: string,
  ...args: string[]
): Promise<{ value: Value; output: string }> {
  const run = await runIn<Value>(packageRoot, code, ...args);
  if (run.value === undefined) throw new Error(`The module reported nothing:\n${run.output}`);
  return run;
}
