import { spawn } from 'node:child_process';
import { bundledProgram } from './bundled-program.js';

export interface IsolatedRun<Value> {
  /** What the module gave to `report`. */
  value: Value;
  /** Everything it printed. */
  output: string;
  exitCode: number | null;
}

/**
 * Runs a module in a fresh Node process, from the given folder: what tfjs keeps is per process. The module finds `args`
 * and `report(value)`, and imports sources relative to the folder.
 */
export async function runIsolated<Value>(
  folder: string,
  code: string,
  ...args: string[]
): Promise<IsolatedRun<Value>> {
  const child = spawn(process.execPath, [await bundledProgram(`${PRELUDE}${code}`, folder), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A module that hangs must not outlive its test.
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  const run: IsolatedRun<Value> = { value: undefined as Value, output: '', exitCode: null };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      run.output += text;
    });
  }
  child.on('message', (value) => {
    run.value = value as Value;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ ...run, exitCode }));
  });
}

const PRELUDE = `const report = (value) => process.send(value);
const args = process.argv.slice(2);
`;
