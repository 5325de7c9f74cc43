import { someOf } from '@hookline/test-support';
import { afterEach, describe, expect, it } from 'vitest';
import type { BackendOption } from '../../src/backends/backend-option.js';
import { runIsolated } from './isolated.js';

afterEach(() => {
  delete process.env.HOOKLINE_WASM;
  delete process.env.HOOKLINE_WASM_THREADS;
  process.env.HOOKLINE_WASM_NATIVE = '0';
});

/** Trains a small convolutional network for a few steps, in a fresh process. */
const TRAIN = `
  import * as tf from '@tensorflow/tfjs-core';
  import * as tfl from '@tensorflow/tfjs-layers';
  import { quietTrainer } from './test/support/quiet-trainer.ts';
  const { layers } = tfl;
  const model = () => tfl.sequential({ layers: [
    layers.conv2d({ filters: 4, kernelSize: 3, activation: 'relu', inputShape: [8, 8, 1] }),
    layers.maxPooling2d({ poolSize: 2 }),
    layers.flatten(),
    layers.dense({ units: 2, activation: 'softmax' }),
  ] });
  const backend = JSON.parse(args[0]);
  // Two ranks that are the same one: what a rank does by itself needs no other.
  const collective = { rank: 0, world: 2, sum: async () => {}, gather: async (text) => [text, text],
    broadcast: async (bytes) => bytes, abort() {} };
  const strategy = args[1] === 'ranks' ? { name: 'twins', collective } : 'simple';
  const trainer = quietTrainer({ model, loss: 'categoricalCrossentropy', backend, strategy, seed: 1 });
  const xs = tf.randomNormal([6, 8, 8, 1], 0, 1, 'float32', 2);
  const ys = tf.tensor2d([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]]);
  const outcome = await trainer.fit({ train: { xs, ys }, epochs: 9 }).then(
    ({ history }) => ({ losses: history.map((epoch) => epoch['train/loss']) }),
    (error) => ({ error: error.message }),
  );
  const { enableTraining } = await import('@hookline/backend-wasm');
  const { threads, fma } = await enableTraining();
  report({ ...outcome, threads, fma });
`;

interface Trained {
  losses?: number[];
  error?: string;
  threads: number;
  fma: boolean;
}

const train = (backend: BackendOption = 'wasm', who: 'alone' | 'ranks' = 'alone') =>
  runIsolated<Trained>(TRAIN, JSON.stringify(backend), who);

/** Selects backends one after the other in a fresh process; `before` runs first. */
async function select(before: string, ...backends: BackendOption[]): Promise<(Selected & Trained)[]> {
  const { value, output } = await runIsolated<(Selected & Trained)[]>(
    `import * as tf from '@tensorflow/tfjs-core';
     import { selectBackend } from './src/backends/select-backend.ts';
     import { enableTraining } from '@hookline/backend-wasm';
     ${before}
     const selected = [];
     for (const backend of JSON.parse(args[0])) {
       const outcome = await selectBackend({ root: process.cwd(), backend }).then(
         ({ reason }) => ({ reason }),
         ({ code, message, cause }) => ({ code, message, cause: cause?.code }),
       );
       const { threads, fma } = await enableTraining();
       selected.push({ ...outcome, threads, fma });
     }
     report(selected);`,
    JSON.stringify(backends),
  );
  expect(value, output).toBeDefined();
  return value;
}

interface Selected {
  reason?: string;
  code?: string;
  message?: string;
  cause?: string;
}

describe('backend wasm', () => {
  it('trains convolutions, for which tfjs alone has no kernels', async () => {
    const { value, output } = await train();
    expect(value.losses, output).toHaveLength(9);
    expect(value.losses![8]).toBeLessThan(value.losses![0]!);
  });

  it('has its settings from the option, and threads change no bit of the losses', async () => {
    const one = await train({ name: 'wasm', fma: false, threads: 1 });
    const two = await train({ name: 'wasm', fma: false, threads: 2 });
    expect(one.value).toMatchObject({ threads: 1, fma: false });
    expect(two.value).toMatchObject({ threads: 2, fma: false });
    expect(one.value.losses).toHaveLength(9);
    expect(two.value.losses).toEqual(one.value.losses);
  });

  it('says how many threads it got, where they were asked for', async () => {
    const [two, one, plain] = await select(
      '',
      { name: 'wasm', threads: 2 },
      { name: 'wasm', threads: 1 },
      'wasm',
    );
    expect(two?.reason).toBe('wasm was asked for by name, with 2 threads');
    expect(one?.reason).toBe('wasm was asked for by name, with one thread');
    expect(plain?.reason).toBe('wasm was asked for by name');
  });

  const asked: readonly (readonly [BackendOption, number])[] = [
    ['auto', 1],
    [{ name: 'wasm', threads: 2 }, 2],
  ];
  it.each(someOf(asked, 1))(
    'of a rank, asked for as %o, has %i threads: ranks share the cores',
    async (backend, threads) => {
      expect((await train(backend, 'ranks')).value).toMatchObject({
        losses: Array(9).fill(expect.any(Number)),
        threads,
      });
    },
  );

  it('refuses a number of threads that cannot be had, says why, and leaves the backend as it was', async () => {
    const [plain, two, many] = await select(
      // By then its memory cannot be shared any more.
      "await tf.setBackend('wasm');",
      'wasm',
      { name: 'wasm', threads: 2 },
      { name: 'wasm', threads: 99 },
    );
    expect(plain?.reason).toBe('wasm was asked for by name');
    expect(two).toMatchObject({ code: 'BACKEND_UNAVAILABLE', cause: 'NO_THREADS', threads: 1 });
    expect(two?.message).toMatch(/started before threads were asked for/);
    expect(two?.message).toMatch(/use threads: 'auto'/);
    expect(many?.message).toMatch(/`threads` is 99, expected 'auto' or a whole number from 1 to 16/);
  });

  it('with threads auto trains with one thread where there can be no others, and says why', async () => {
    const [auto] = await select(
      // A machine with four processors, and a backend whose memory cannot be shared any more.
      `const stock = process.getBuiltinModule;
       process.getBuiltinModule = (name) =>
         name === 'os' ? { availableParallelism: () => 4 } : stock.call(process, name);
       await tf.setBackend('wasm');`,
      { name: 'wasm', threads: 'auto' },
    );
    expect(auto?.threads).toBe(1);
    expect(auto?.reason).toMatch(
      /^wasm was asked for by name, with one thread: The wasm backend was started/,
    );
  });
});

describe('the environment', () => {
  it('leaves wasm as tfjs has it with HOOKLINE_WASM=stock', async () => {
    process.env.HOOKLINE_WASM = 'stock';
    const { value } = await train();
    expect(value.error).toContain('Conv2DBackpropFilter');
  });

  it('overrides the options', async () => {
    process.env.HOOKLINE_WASM = 'no-fma';
    process.env.HOOKLINE_WASM_THREADS = '2';
    const [selected] = await select('', { name: 'wasm', fma: true, threads: 1 });
    expect(selected).toMatchObject({ fma: false, threads: 2 });
    expect(selected?.reason).toMatch(/with 2 threads$/);
  });

  it('also holds for wasm that auto has chosen', async () => {
    process.env.HOOKLINE_WASM_THREADS = '2';
    const [selected] = await select('', 'auto');
    expect(selected?.reason).toMatch(/^wasm is the best that works here, with 2 threads; /);
  });

  const wrong = [
    ['HOOKLINE_WASM_THREADS', 'many', "expected 'auto' or a whole number from 1 to 16"],
    ['HOOKLINE_WASM', 'slow', 'it is "slow", expected stock, fma, no-fma'],
  ] as const;
  it.each(someOf(wrong, 1))(
    'warns about %s=%s and trains with the options',
    async (name, value, expected) => {
      process.env[name] = value;
      const { value: trained, output } = await train({ name: 'wasm', fma: false, threads: 1 });
      expect(trained.losses).toHaveLength(9);
      expect(trained).toMatchObject({ threads: 1, fma: false });
      expect(output).toContain(`${name} has no effect`);
      expect(output).toContain(expected);
    },
  );
});

describe('native kernels', () => {
  it('are used where they are installed, and the choice says so; the losses have the same bits', async () => {
    process.env.HOOKLINE_WASM_NATIVE = '';
    const [off, on, asked] = await select(
      '',
      { name: 'wasm', native: false },
      { name: 'wasm' },
      { name: 'wasm', native: true },
    );
    expect(off!.reason).toBe('wasm was asked for by name');
    // Where there is no compiler there are none; then nothing is said unless they were asked for.
    if (/with native kernels/.test(asked!.reason!)) expect(on!.reason).toBe(asked!.reason);
    else expect(asked!.reason).toMatch(/, without native kernels: @hookline\/kernels-native /);
    const [without, native] = [await train({ name: 'wasm', native: false }), await train({ name: 'wasm' })];
    expect(native.value.losses, native.output).toEqual(without.value.losses);
  });

  it('are switched off by HOOKLINE_WASM_NATIVE=0', async () => {
    process.env.HOOKLINE_WASM_NATIVE = '0';
    const [asked] = await select('', { name: 'wasm', native: true });
    expect(asked!.reason).toBe(
      'wasm was asked for by name, without native kernels: HOOKLINE_WASM_NATIVE switches them off',
    );
  });
});
