import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProbeAnswer } from '../contract.js';
import { firstLine, type Problem } from '../problem.js';

const PACKAGES = ['webgpu', '@tensorflow/tfjs-backend-webgpu'] as const;
const TIMEOUT_MS = 60_000;

/** Asks for an adapter in a separate process: a driver that is broken crashes its process. */
export function probeWebgpu(root: string): Promise<Problem | ProbeAnswer> {
  const files = locate(root);
  if ('what' in files) return Promise.resolve(files);
  const start = Date.now();
  const args = ['--input-type=module', '--eval', PROBE, pathToFileURL(files.gpu).href];
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (failure, stdout, stderr) => {
        const answer = /^hookline-probe (.*)$/m.exec(stdout)?.[1];
        const { adapter, software, error } = (answer === undefined ? {} : JSON.parse(answer)) as Answer;
        const seconds = (Date.now() - start) / 1000;
        if (adapter !== undefined) {
          const why = software ? 'the adapter is software' : undefined;
          return done({ device: software ? 'cpu' : 'gpu', library: adapter, seconds, why });
        }
        const vulkan = /Couldn't load Vulkan: (\S+):/.exec(stderr)?.[1];
        const said = error ?? `its process ended (${failure?.signal ?? failure?.code ?? 0})`;
        const cause = new Error(vulkan ? `there is no Vulkan here: ${vulkan} is missing` : said);
        done({ what: `installed, but not working: ${firstLine(cause)}`, fix: DRIVER_ADVICE, cause });
      },
    );
  });
}

/** Imports both packages of the project: the second registers its backend where `navigator.gpu` exists. */
export async function importWebgpu(root: string): Promise<void> {
  const files = locate(root);
  if ('what' in files) throw new Error(files.what);
  const { create, globals } = (await import(pathToFileURL(files.gpu).href)) as Dawn;
  Object.assign(globalThis, globals);
  const holder = globalThis as { navigator?: object };
  if (!holder.navigator) Object.defineProperty(holder, 'navigator', { value: {}, configurable: true });
  Object.defineProperty(holder.navigator, 'gpu', { value: create([]), configurable: true });
  await import(pathToFileURL(files.backend).href);
}

interface Dawn {
  create(options: string[]): unknown;
  globals: object;
}

interface Answer {
  adapter?: string;
  software?: boolean;
  error?: string;
}

function locate(root: string): { gpu: string; backend: string } | Problem {
  const require = createRequire(join(resolve(root), 'package.json'));
  const missing = PACKAGES.filter((name) => {
    try {
      require.resolve(name);
      return false;
    } catch {
      return true;
    }
  });
  if (missing.length > 0) return { what: 'not installed', fix: `npm install ${missing.join(' ')}` };
  return { gpu: require.resolve(PACKAGES[0]), backend: require.resolve(PACKAGES[1]) };
}

const DRIVER_ADVICE =
  'On Linux it needs a Vulkan driver: apt-get install libvulkan1 and that of your card (mesa-vulkan-drivers, or the one of ' +
  "NVIDIA); VK_DRIVER_FILES names one that is elsewhere. To train without it, use backend: 'wasm'.";

// As text, because it has to run without the files of the trainer, which may be bundled or TypeScript.
const PROBE = `
let answer;
try {
  const { create } = await import(process.argv[1]);
  const gpu = create([]);
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('there is no adapter: no Vulkan, Metal or Direct3D driver was found');
  const { vendor, architecture, description, isFallbackAdapter } = adapter.info ?? {};
  const name = [vendor, architecture, description].filter(Boolean).join(' ') || 'unknown adapter';
  const software = isFallbackAdapter === true || /swiftshader|llvmpipe|lavapipe|software/i.test(name);
  await adapter.requestDevice();
  answer = { adapter: name, software };
} catch (error) {
  answer = { error: String(error?.message ?? error) };
}
process.stdout.write('\\nhookline-probe ' + JSON.stringify(answer) + '\\n', () => process.exit());
`;
