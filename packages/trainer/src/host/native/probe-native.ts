import { type ExecFileException, execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import type { ProbeAnswer } from '../contract.js';
import { firstLine, type Problem } from '../problem.js';
import { knownBreakage, whyNoGpu } from './breakages.js';
import { setGpuEnvironment } from './gpu-settings.js';
import { howToRebuild } from './locate-native.js';
import { cachedAnswer, keepAnswer } from './probe-cache.js';

// For a card that it does not know, CUDA compiles its kernels first, which takes minutes.
const TIMEOUT_MS = 300_000;

/**
 * Tries a native package in a separate process. If it was built for another CPU or library it does not throw but
 * crashes its process, which must not be the one that trains. Where an earlier answer still holds, it is taken, unless
 * `fresh`.
 */
export async function probeNative(
  packageName: string,
  file: string,
  fresh = false,
): Promise<Problem | ProbeAnswer> {
  const known = fresh ? undefined : cachedAnswer(file);
  if (known) return known;
  const found = await probe(packageName, file);
  if (!('what' in found)) keepAnswer(file, found);
  return found;
}

function probe(packageName: string, file: string): Promise<Problem | ProbeAnswer> {
  const args = ['--input-type=module', '--eval', PROBE, pathToFileURL(file).href];
  setGpuEnvironment();
  // What TensorFlow says about libraries that it does not find is a warning.
  const env = { ...process.env, TF_CPP_MIN_LOG_LEVEL: '1' };
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 2 ** 24, env } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (failure, stdout, stderr) => {
      // Read first: some addons work and then crash when the process exits.
      const answer = /^hookline-probe (.*)$/m.exec(stdout)?.[1];
      const { device, library, seconds, error } = (answer === undefined ? {} : JSON.parse(answer)) as Answer;
      if (device) {
        const why = device === 'gpu' ? undefined : whyNoGpu(stderr);
        return resolve({ device, library, seconds: seconds!, why });
      }
      const cause = Object.assign(new Error(ending(failure)), error);
      const known = knownBreakage(`${cause.message}\n${stderr}`, packageName);
      const said = firstLine(cause);
      resolve({
        what: `installed, but not working: ${known ? `${known.what} (${said})` : said}`,
        fix: known?.fix ?? howToRebuild(packageName),
        cause,
      });
    });
  });
}

interface Answer extends Partial<ProbeAnswer> {
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
const start = Date.now();
let answer;
try {
  const { default: tf } = await import(process.argv[1]);
  await tf.ready();
  const product = tf.matMul(tf.tensor2d([1, 2, 3, 4], [2, 2]), tf.tensor2d([5, 6, 7, 8], [2, 2]));
  await product.data();
  const { isGPUPackage, isUsingGpuDevice, binding } = tf.engine().registry[tf.getBackend()];
  const device = isGPUPackage && isUsingGpuDevice ? 'gpu' : 'cpu';
  answer = { device, library: binding?.TF_Version, seconds: (Date.now() - start) / 1000 };
} catch (error) {
  answer = { error: { message: String(error?.message ?? error), stack: String(error?.stack ?? error) } };
}
process.stdout.write('\\nhookline-probe ' + JSON.stringify(answer) + '\\n', () => process.exit());
`;
