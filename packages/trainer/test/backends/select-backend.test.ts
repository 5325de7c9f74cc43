import type { IsolatedRun } from '@hookline/test-programs';
import { someOf } from '@hookline/test-support';
import { describe, expect, it } from 'vitest';
import type { BackendChoice } from '../../src/backends/select-backend.js';
import { runIsolated } from './isolated.js';
import * as native from './native-project.js';
import { nativeProject } from './native-project.js';

const TFJS_NODE = '@tensorflow/tfjs-node';
const TFJS_NODE_GPU = '@tensorflow/tfjs-node-gpu';

interface Selection {
  choice?: BackendChoice;
  error?: { code: string; message: string; cause?: string };
  active: string;
  registered: string[];
  tensors: number;
  product: number[];
}

/** Selects a backend in a fresh process for a project with the given packages, and computes with it. */
async function select(
  packages: Record<string, string>,
  backend = 'auto',
  before = '',
): Promise<IsolatedRun<Selection>> {
  await using project = await nativeProject(packages);
  return await runIsolated<Selection>(
    `import * as tf from '@tensorflow/tfjs-core';
     const { selectBackend } = await import('./src/backends/select-backend.ts');
     const [root, backend] = args;
     ${before}
     const outcome = await selectBackend({ root, backend }).then(
       (choice) => ({ choice }),
       ({ code, message, cause }) => ({ error: { code, message, cause: cause?.message } }),
     );
     const tensors = tf.memory().numTensors;
     const product = Array.from(await tf.mul(tf.tensor1d([1, 2, 3]), 2).data());
     report({ ...outcome, active: tf.getBackend(), registered: tf.engine().backendNames(), tensors, product });`,
    project.root,
    backend,
  );
}

const FAULTS: readonly (readonly [string, string, string])[] = [
  [
    'lacks its library',
    native.throws,
    'the TensorFlow library is missing (libtensorflow.so.2: cannot open shared object file)',
  ],
  [
    'was built for another CUDA',
    native.lacksCuda,
    'the CUDA library that it was built for is not here (libcudart.so.11.0: cannot open shared object file)',
  ],
  [
    'lacks its binary',
    native.lacksBinary,
    "its addon is missing: the install script was blocked, or could not download it (Cannot find module './lib/napi-v8/tfjs_binding.node')",
  ],
  ['crashes its process', native.crashes, 'it crashes its process (SIGKILL)'],
  ['ends its process', native.exits, 'it ends its process (exit code 3)'],
  [
    'multiplies wrongly',
    native.multipliesWrongly,
    'it multiplies wrongly: [1 2; 3 4] x [5 6; 7 8] gave 1 2 3 4',
  ],
];

describe('auto', () => {
  it('takes wasm when no native package is installed, and says why', async () => {
    const { value, output } = await select({});
    expect(value.choice).toEqual({
      name: 'wasm',
      package: '@tensorflow/tfjs-backend-wasm',
      device: 'cpu',
      reason: 'wasm is the best that works here; tfjs-node-gpu is not installed; tfjs-node is not installed',
      tried: [
        { candidate: 'tfjs-node-gpu', outcome: 'not installed' },
        { candidate: 'tfjs-node', outcome: 'not installed' },
        { candidate: 'wasm', outcome: 'taken' },
      ],
    });
    expect(value).toMatchObject({ active: 'wasm', tensors: 0, product: [2, 4, 6] });
    expect(output).toBe('');
  });

  it('takes tfjs-node-gpu where it has a GPU, and shares the engine although it brings its own tfjs', async () => {
    const { value, output } = await select({
      [TFJS_NODE]: native.working,
      [TFJS_NODE_GPU]: native.workingOnGpu,
    });
    expect(value.choice).toMatchObject({ name: 'tensorflow', package: TFJS_NODE_GPU, device: 'gpu' });
    expect(value.choice?.tried).toEqual([{ candidate: 'tfjs-node-gpu', outcome: 'taken' }]);
    expect(value).toMatchObject({ active: 'tensorflow', tensors: 0, product: [2, 4, 6] });
    expect(output).toBe('');
  });

  it('takes wasm where native packages have only the CPU, and says so', async () => {
    const { value, output } = await select({
      [TFJS_NODE_GPU]: native.working,
      [TFJS_NODE]: native.working,
    });
    expect(value.choice?.tried).toEqual([
      {
        candidate: 'tfjs-node-gpu',
        outcome: 'installed, but finds no GPU, and on the CPU wasm is 2 to 20 times as fast',
      },
      {
        candidate: 'tfjs-node',
        outcome: 'installed, but computes on the CPU, where wasm is 2 to 20 times as fast',
      },
      { candidate: 'wasm', outcome: 'taken' },
    ]);
    expect(value).toMatchObject({ active: 'wasm', product: [2, 4, 6] });
    expect(output).toBe('');
  });

  it.each(someOf(FAULTS, 1))('passes over a native package that %s', async (_, code, why) => {
    const { value, output, exitCode } = await select({ [TFJS_NODE_GPU]: code });
    expect(value.choice?.tried).toEqual([
      { candidate: 'tfjs-node-gpu', outcome: `installed, but not working: ${why}` },
      { candidate: 'tfjs-node', outcome: 'not installed' },
      { candidate: 'wasm', outcome: 'taken' },
    ]);
    expect(value).toMatchObject({
      active: 'wasm',
      registered: ['cpu', 'wasm'],
      tensors: 0,
      product: [2, 4, 6],
    });
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 0 });
  });

  it('takes cpu when wasm cannot start, as with files that are not where the program says', async () => {
    const { value, exitCode } = await select(
      {},
      'auto',
      `const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
       setWasmPaths('/no/such/folder/');`,
    );
    expect(value.choice).toMatchObject({
      name: 'cpu',
      package: '@tensorflow/tfjs-backend-cpu',
      device: 'cpu',
    });
    expect(value.choice?.tried[2]).toMatchObject({
      candidate: 'wasm',
      outcome: expect.stringMatching(/^not working: /),
    });
    expect(value).toMatchObject({ active: 'cpu', tensors: 0, product: [2, 4, 6] });
    expect(exitCode).toBe(0);
  });

  it('keeps a backend that the program has made active itself, other than cpu and wasm', async () => {
    const { value } = await select(
      { [TFJS_NODE]: native.working },
      'auto',
      `const { MathBackendCPU } = await import('@tensorflow/tfjs-backend-cpu');
       tf.copyRegisteredKernels('cpu', 'webgpu');
       tf.registerBackend('webgpu', async () => Object.assign(new MathBackendCPU(), { firstUse: false }), 5);
       tf.setBackend('webgpu'); // not awaited, as people do`,
    );
    expect(value.choice).toMatchObject({
      name: 'webgpu',
      device: 'gpu',
      reason: 'webgpu was already active in this process',
    });
    expect(value.active).toBe('webgpu');
  });

  it('gives tfjs-node the functions that Node 23 removed', async () => {
    const { value } = await select(
      { [TFJS_NODE]: native.callsRemovedUtilities },
      'tfjs-node',
      `const { default: util } = await import('node:util');
       delete util.isNullOrUndefined;
       delete util.isArray;`,
    );
    expect(value.choice).toMatchObject({ name: 'tensorflow', package: TFJS_NODE });
  });
});

describe('a backend asked for by name', () => {
  it.each(someOf(['wasm', 'cpu'], 1))('is taken although a better one is installed: %s', async (name) => {
    const { value, output } = await select({ [TFJS_NODE]: native.working }, name);
    expect(value.choice).toMatchObject({ name, device: 'cpu', reason: `${name} was asked for by name` });
    expect(value).toMatchObject({ active: name, product: [2, 4, 6] });
    expect(output).toBe('');
  });

  it('that is not installed is a named error with the command to install it', async () => {
    const { value } = await select({}, 'tfjs-node');
    expect(value.error?.code).toBe('BACKEND_UNAVAILABLE');
    expect(value.error?.message).toMatch(
      /"tfjs-node" .* not installed\n.*npm install @tensorflow\/tfjs-node/,
    );
    expect(value.active).toBe('cpu');
  });

  it('that is broken is a named error with its cause and the way to mend it', async () => {
    const { value } = await select({ [TFJS_NODE]: native.throws }, 'tfjs-node');
    expect(value.error?.code).toBe('BACKEND_UNAVAILABLE');
    expect(value.error?.message).toMatch(
      /cannot open shared object file\)\n.*doctor --fix .*npm rebuild @tensorflow\/tfjs-node/,
    );
    expect(value.error?.cause).toContain('second line');
    expect(value).toMatchObject({ active: 'cpu', product: [2, 4, 6] });
  });

  it('that cannot compute leaves the program on the backend it had', async () => {
    const { value } = await select({ [TFJS_NODE]: native.multipliesWrongly }, 'tfjs-node');
    expect(value.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(value).toMatchObject({
      active: 'cpu',
      registered: ['cpu', 'wasm'],
      tensors: 0,
      product: [2, 4, 6],
    });
  });

  it('is not overtaken by one that the program has begun to start', async () => {
    const { value } = await select({}, 'cpu', `tf.setBackend('wasm');`);
    expect(value).toMatchObject({ choice: { name: 'cpu' }, active: 'cpu', product: [2, 4, 6] });
  });

  it('that loads without registering itself is a named error', async () => {
    const { value } = await select({ [TFJS_NODE]: native.registersNothing }, 'tfjs-node');
    expect(value.error).toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });

  it('that somebody else has registered under the name of wasm, and made active, is a named error', async () => {
    const { value } = await runIsolated<{ code: string; message: string }>(
      `import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
       import * as tf from '@tensorflow/tfjs-core';
       tf.registerBackend('wasm', () => new MathBackendCPU());
       await tf.setBackend('wasm');
       const { selectBackend } = await import('./src/backends/select-backend.ts');
       await selectBackend({ root: '.', backend: 'wasm' }).catch(({ code, message }) => report({ code, message }));`,
    );
    expect(value.code).toBe('BACKEND_UNAVAILABLE');
    expect(value.message).toContain('The wasm backend of this process differs from that of tfjs 4.22');
  });

  it('that nobody knows is a named error with the nearest name', async () => {
    const { value } = await select({}, 'wsam');
    expect(value.error?.code).toBe('BACKEND_UNKNOWN');
    expect(value.error?.message).toContain('There is no backend "wsam". Did you mean "wasm"?');
  });
});
