import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-support';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

export interface IsolatedRun<T> {
  /** What the module gave to `report`. */
  value: T;
  /** Everything it printed. */
  output: string;
  exitCode: number | null;
}

/**
 * Runs a module in a fresh Node process, from the folder of this package: what tfjs keeps is per process, and
 * these tests are about how a process starts. The module finds `args` and `report(value)`.
 */
export async function runIsolated<T>(code: string, ...args: string[]): Promise<IsolatedRun<T>> {
  return run([await bundledProgram(`${PRELUDE}${code}`, packageRoot), 'args', ...args]);
}

/** The same for a module that imports files whose names it computes; slower. */
export function runFromSources<T>(code: string, ...args: string[]): Promise<IsolatedRun<T>> {
  const flags = ['--import', 'tsx', '--conditions=@hookline/source', '--input-type=module', '--eval'];
  return run([...flags, `${PRELUDE}${code}`, 'args', ...args]);
}

const PRELUDE = `const report = (value) => process.send(value);
const args = process.argv.slice(process.argv.indexOf('args') + 1);
`;

function run<T>(argv: readonly string[]): Promise<IsolatedRun<T>> {
  const child = spawn(process.execPath, argv, {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const outcome: IsolatedRun<T> = { value: undefined as T, output: '', exitCode: null };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      outcome.output += text;
    });
  }
  child.on('message', (value) => {
    outcome.value = value as T;
  });
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ ...outcome, exitCode }));
  });
}
