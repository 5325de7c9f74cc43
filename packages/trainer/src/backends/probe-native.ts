import { type ExecFileException, execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { howToRebuild } from './locate-native.js';
import { firstLine, type Problem } from './problem.js';

// For a card that it does not know, CUDA compiles its kernels first, which takes minutes.
const TIMEOUT_MS = 300_000;

/**
 * Tries a native package in a separate process. If it was built for another CPU or library it does not throw but
 * crashes its process, which must not be the one that trains.
 */
export function probeNative(packageName: string, file: string): Promise<Problem | { device: 'cpu' | 'gpu' }> {
  const args = ['--input-type=module', '--eval', PROBE, pathToFileURL(file).href];
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 2 ** 24 } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (failure, stdout) => {
      // Read first: some addons work and then crash when the process exits.
      const answer = /^hookline-probe (.*)$/m.exec(stdout)?.[1];
      const { gpu, error } = (answer === undefined ? {} : JSON.parse(answer)) as Answer;
      if (gpu !== undefined) return resolve({ device: gpu ? 'gpu' : 'cpu' });
      const cause = Object.assign(new Error(ending(failure)), error);
      resolve({
        what: `installed, but not working: ${firstLine(cause)}`,
        fix: howToRebuild(packageName),
        cause,
      });
    });
  });
}

interface Answer {
  gpu?: boolean;
  error?: { message: string; stack: string };
}

function ending(failure: ExecFileException | null): string {
  if (failure?.killed) return `it had not finished loading after ${TIMEOUT_MS / 1000} seconds`;
  if (failure?.signal) return `it crashes its process (${failure.signal})`;
  if (typeof failure?.code === 'string')
    return `it could not be tried in a separate process (${failure.code})`;
  return `it ends its process (exit code ${failure?.code ?? 0})`;
}

// As text, because it has to run without the files of the trainer, which may be bundled or TypeScript.
const PROBE = `
import util from 'node:util';
util.isNullOrUndefined ??= (value) => value === null || value === undefined;
util.isArray ??= Array.isArray;
let answer;
try {
  const { default: tf } = await import(process.argv[1]);
  await tf.ready();
  const product = tf.matMul(tf.tensor2d([1, 2, 3, 4], [2, 2]), tf.tensor2d([5, 6, 7, 8], [2, 2]));
  await product.data();
  const { isGPUPackage, isUsingGpuDevice } = tf.engine().registry[tf.getBackend()];
  answer = { gpu: Boolean(isGPUPackage && isUsingGpuDevice) };
} catch (error) {
  answer = { error: { message: String(error?.message ?? error), stack: String(error?.stack ?? error) } };
}
process.stdout.write('\\nhookline-probe ' + JSON.stringify(answer) + '\\n', () => process.exit());
`;
