import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));

/** Runs a module in a fresh Node process, from the folder of this package. The module calls `report(value)`. */
export function runIsolated<Value>(code: string): Promise<{ value: Value; output: string }> {
  const source = `const report = (value) => process.send(value);\n${code}`;
  const flags = ['--import', 'tsx', '--conditions=@hookline/source', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, flags, {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const run = { value: undefined as Value, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      run.output += text;
    });
  }
  child.on('message', (value) => {
    run.value = value as Value;
  });
  return new Promise((resolve, reject) => {
    child.on('close', () => {
      if (run.value === undefined) reject(new Error(`The module reported nothing:\n${run.output}`));
      else resolve(run);
    });
  });
}
