import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
export function runIsolated<T>(code: string, ...args: string[]): Promise<IsolatedRun<T>> {
  const source = `const report = (value) => process.send(value);\nconst args = process.argv.slice(1);\n${code}`;
  const flags = ['--import', 'tsx', '--conditions=@hookline/source', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, [...flags, ...args], {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const run: IsolatedRun<T> = { value: undefined as T, output: '', exitCode: null };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      run.output += text;
    });
  }
  child.on('message', (value) => {
    run.value = value as T;
  });
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ ...run, exitCode }));
  });
}
