import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

// Code of native packages, as far as the trainer can tell them from real ones.

/**
 * Registers a backend that computes. It brings a copy of tfjs-core of its own, like the real packages, and
 * takes its kernels from cpu.
 */
export const working: string = `
  const tf = require('./tfjs-core.js');
  const { MathBackendCPU } = require(${JSON.stringify(require.resolve('@tensorflow/tfjs-backend-cpu'))});
  tf.copyRegisteredKernels('cpu', 'tensorflow');
  tf.registerBackend('tensorflow', () => Object.assign(new MathBackendCPU(), { firstUse: false }), 3);
  tf.setBackend('tensorflow');
  module.exports = tf;
`;

/** The same with a GPU, as its backend says of itself. */
export const workingOnGpu: string = working.replace(
  '{ firstUse: false }',
  '{ firstUse: false, isGPUPackage: true, isUsingGpuDevice: true }',
);

export const multipliesWrongly: string = `${workingOnGpu}
  tf.unregisterKernel('BatchMatMul', 'tensorflow');
  tf.registerKernel({
    kernelName: 'BatchMatMul',
    backendName: 'tensorflow',
    kernelFunc: ({ inputs, backend }) => tf.getKernel('Identity', 'cpu').kernelFunc({ inputs: { x: inputs.a }, backend }),
  });
`;

/** Calls what Node 23 removed, like tfjs-node 4.22 at its first operation. */
export const callsRemovedUtilities: string = `${working}
  const util = require('util');
  if (util.isNullOrUndefined(1) || !util.isArray([])) throw new Error('wrong utilities');
`;

export const registersNothing: string = `module.exports = require('./tfjs-core.js');`;
export const throws: string = `throw new Error('libtensorflow.so.2: cannot open shared object file\\nsecond line');`;
export const lacksCuda: string = `throw new Error('libcudart.so.11.0: cannot open shared object file');`;
export const lacksBinary: string = `require('./lib/napi-v8/tfjs_binding.node');`;
export const crashes: string = `process.kill(process.pid, 'SIGKILL'); while (true);`;
export const exits: string = `process.exit(3);`;

/** A project folder in which the given packages are installed. */
export async function nativeProject(
  packages: Record<string, string> = {},
): Promise<AsyncDisposable & { root: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hookline-backends-')));
  await writeFile(join(root, 'package.json'), '{ "name": "project" }');
  for (const [name, code] of Object.entries(packages)) {
    const folder = join(root, 'node_modules', name);
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name, version: '4.22.0', main: 'index.js' }),
    );
    await writeFile(join(folder, 'index.js'), code);
    await copyCore(folder);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

async function copyCore(folder: string): Promise<void> {
  const core = require.resolve('@tensorflow/tfjs-core');
  await copyFile(core, join(folder, 'tfjs-core.js'));
  const seedrandom = dirname(createRequire(core).resolve('seedrandom'));
  await symlink(seedrandom, join(folder, 'node_modules/seedrandom'), 'junction');
}
