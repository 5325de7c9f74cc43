import type { Batch, Hook, HooklineError } from '@hookline/hook-api';
import {
  classes,
  classifier,
  collectingLogger,
  errorOf,
  farBackend,
  regressor,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  combine,
  type Data,
  DataLoader,
  type DataLoaderOptions,
  type LossName,
  selectBackend,
  type TrainerOptions,
} from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';
import { epochOf } from './batches-of-loader.js';

beforeAll(() => selectBackend({ backend: 'cpu', root: '.' }));

const xs = [0, 1, 2, 3].map((i) => [i, 0, 0]);
const ys = [[0], [1], [2], [3]];
const batch = (): Batch => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) });

/** What fit says to the data; whatever it is, no tensor may stay. */
async function fitError(train: unknown, hooks: Hook[] = [], validation?: Data): Promise<HooklineError> {
  const trainer = quietTrainer({ model: regressor(), hooks, optimizer: 'sgd' }); // keeps no tensors itself
  await trainer.ready();
  const before = tf.memory().numTensors;
  const options = { train: train as Data, epochs: 2, ...(validation && { validation }) };
  const error = await errorOf(trainer.fit(options));
  expect(tf.memory().numTensors - before, 'tensors left behind').toBe(0);
  return error;
}

function expectError(error: HooklineError, code: string, ...parts: string[]): void {
  expect(error.code, error.message).toBe(code);
  for (const part of parts) expect(error.message).toContain(part);
}

describe('a source that throws', () => {
  const failing = (after: number, closed: string[] = []) =>
    async function* () {
      try {
        for (let i = 0; i < after; i++) yield batch();
        throw new TypeError('the disk is gone');
      } finally {
        closed.push('closed');
      }
    };

  test('is named with loader, epoch and batch, and the cause is kept', async () => {
    const error = await fitError({ good: [{ xs, ys }], bad: failing(2) });
    expectError(error, 'LOADER_FAILED', 'Loader "bad" failed at epoch 0, batch 3: the disk is gone');
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('in a later epoch, before anything came, or without a word', async () => {
    let epochs = 0;
    const later = () => (epochs++ === 0 ? [batch()] : failing(1)());
    expectError(await fitError(later), 'LOADER_FAILED', 'epoch 1, batch 1');
    expectError(await fitError(failing(0)), 'LOADER_FAILED', 'epoch 0, batch 0');
    const odd = async function* () {
      yield batch();
      throw 'nothing but text';
    };
    expectError(await fitError(odd), 'LOADER_FAILED', 'batch 1: nothing but text');
    const early = () => {
      throw new Error('not even begun');
    };
    expectError(
      await fitError(early),
      'LOADER_FAILED',
      'Loader "train" failed at epoch 0, batch 0: not even begun',
    );
  });

  test('while validating', async () => {
    const error = await fitError({ xs, ys }, [], failing(1));
    expectError(error, 'LOADER_FAILED', 'Loader "validation" failed at epoch 0, batch 1');
  });

  test('the other sources are closed', async () => {
    const closed: string[] = [];
    const endless = async function* () {
      try {
        for (;;) yield batch();
      } finally {
        closed.push('endless');
      }
    };
    const train = combine({ endless, bad: failing(1, closed) }, { strategy: 'roundRobin' });
    expectError(await fitError(train), 'LOADER_FAILED', 'Loader "bad" failed at epoch 0, batch 3');
    expect(closed.sort()).toEqual(['closed', 'endless']);
  });

  test('an iterator whose next() throws is told to return', async () => {
    let returned = 0;
    const iterator = {
      next: () => {
        throw new Error('broken');
      },
      return: () => {
        returned++;
        return { value: undefined, done: true as const };
      },
    };
    await fitError(() => ({ [Symbol.iterator]: () => iterator }));
    await fitError(() => ({ [Symbol.asyncIterator]: () => iterator }));
    expect(returned).toBe(2);
  });

  test('an error while closing is told, unless there was one before', async () => {
    const bad = async function* () {
      try {
        for (;;) yield batch();
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: what a bad source does.
        throw new Error('cannot close');
      }
    };
    const stop: Hook = { name: 'stop', onTrainBatchEnd: (ctx) => ctx.stop('enough') };
    expectError(await fitError(bad, [stop]), 'LOADER_FAILED', 'Loader "train"', 'cannot close');
    const fail: Hook = {
      name: 'fail',
      transformBatch: () => {
        throw new Error('first');
      },
    };
    expect((await fitError(bad, [fail])).message).toContain('first');
    const train = combine({ bad, worse: failing(1) }, { strategy: 'roundRobin' });
    expect((await fitError(train)).message).toContain('the disk is gone');
  });

  test('a training step that fails closes the source and disposes what was read ahead', async () => {
    const given: Batch[] = [];
    let closed = false;
    const source = async function* () {
      try {
        for (;;) {
          given.push(given.length === 2 ? { xs: tf.ones([2, 5]), ys: tf.zeros([2, 1]) } : batch());
          yield given.at(-1)!;
        }
      } finally {
        closed = true;
      }
    };
    expectError(await fitError(source), 'BAD_BATCH', 'Batch 2 of loader "train"');
    expect(closed).toBe(true);
    expect(given.length).toBeGreaterThan(3);
  });

  test('one of several samples that are fetched at once', async () => {
    const source = {
      length: 4,
      at: async (index: number) => {
        if (index === 2) throw new Error('no file 2');
        return { xs: tf.ones([3]), ys: tf.zeros([1]) };
      },
    };
    const error = await fitError(new DataLoader(source, { samples: true }));
    expectError(error, 'LOADER_FAILED', 'Loader "train" failed at epoch 0, batch 0: no file 2');
  });

  test('a collate function', async () => {
    const source = () => [{ xs: tf.ones([3]) }, { xs: tf.ones([3]) }].values();
    const collate = () => {
      throw new Error('cannot collate');
    };
    expectError(await fitError(new DataLoader(source, { collate })), 'LOADER_FAILED', 'cannot collate');
    const nothing = new DataLoader(source, { collate: () => undefined as never });
    expectError(await fitError(nothing), 'BAD_DATA', 'batch 0 without xs');
  });
});

test('a source that never ends when told to does not hold the run for ever', async () => {
  const stuck = async function* () {
    yield batch();
    await new Promise(() => {});
  };
  const stop: Hook = { name: 'stop', onTrainBatchEnd: (ctx) => ctx.stop('enough') };
  const logger = collectingLogger();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let status: string | undefined;
  const fit = quietTrainer({ model: regressor(), hooks: [stop], logger }).fit({ train: stuck, epochs: 1 });
  fit.then((result) => {
    status = result.status;
  });
  for (let seconds = 0; status === undefined && seconds < 10_000; seconds++) {
    await new Promise(setImmediate);
    vi.advanceTimersByTime(1000);
  }
  expect(status).toBe('stopped');
  const said = logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(said).toEqual([expect.stringContaining('Loader "train" did not end within 5 seconds')]);
});

describe('a batch larger than the data', () => {
  test('is an error where it would leave nothing', async () => {
    const few = (options: DataLoaderOptions) => ({ ...options, batchSize: 5, dropLast: true });
    const loaders = [
      new DataLoader({ xs, ys }, few({})),
      new DataLoader([{ xs: 1 }], few({ samples: true })),
      new DataLoader(() => [{ xs: 1 }].values(), few({ samples: true })),
    ];
    for (const loader of loaders) {
      const error = await errorOf(epochOf(loader));
      expectError(error, 'BAD_DATA', 'Loader "data" has', 'fewer than one batch of 5', 'smaller batchSize');
    }
  });
});

describe('values that are not finite, with checkData', () => {
  const sources: [string, () => DataLoader, string[]][] = [
    [
      'a table, with the row',
      () =>
        new DataLoader(
          { xs: [...xs, [0, Number.NaN, 1]], ys: [...ys, [0]] },
          { checkData: true, batchSize: 2 },
        ),
      ['The data of loader "train"', 'xs has 1', '(NaN) in sample 4, value 1'],
    ],
    [
      'targets in a typed array',
      () => new DataLoader({ xs, ys: Float32Array.of(1, 2, Infinity, -Infinity) }, { checkData: true }),
      ['ys has 2', '(Infinity) in sample 2.'],
    ],
    [
      'a stream of tensors',
      () =>
        new DataLoader(
          function* () {
            yield batch();
            yield { xs: tf.fill([2, 3], Number.NaN), ys: tf.zeros([2, 1]) };
          },
          { checkData: true },
        ),
      ['Batch 1 of loader "train"', 'xs has 6', 'sample 0'],
    ],
    [
      'batches in an array',
      () =>
        new DataLoader(
          [
            { xs, ys },
            { xs: [[1, 2, Number.NaN]], ys: [[1]] },
          ],
          { checkData: true },
        ),
      ['Batch 1 of loader "train"', 'value 2'],
    ],
    [
      'single samples',
      () => new DataLoader([{ xs: [1, 2, 3], ys: Number.NaN }], { samples: true, checkData: true }),
      ['Batch 0', 'ys has 1'],
    ],
  ];

  test.each(sources)('%s', async (_name, make, parts) => {
    expectError(await fitError(make()), 'BAD_DATA', ...parts, 'Clean or fill them');
  });

  test('finite data trains, and is checked in the first epoch only', async () => {
    let made = 0;
    const source = () => {
      made++;
      return [made === 2 ? { xs: tf.fill([2, 3], Number.NaN), ys: tf.zeros([2, 1]) } : batch()];
    };
    const trainer = quietTrainer({ model: regressor() });
    await trainer.fit({ train: new DataLoader(source, { checkData: true }), epochs: 2 });
    await trainer.fit({ train: new DataLoader({ xs, ys }, { checkData: true }), epochs: 2 });
    expect(made).toBe(2);
  });

  test('weights are checked, whole numbers pass', async () => {
    const data = { xs: Int32Array.of(1, 2), ys: [1, 2], weights: [1, Number.NaN] };
    const error = await errorOf(epochOf(new DataLoader(data, { checkData: true, shapes: { xs: [1] } })));
    expectError(error, 'BAD_DATA', 'weights has 1');
  });
});

describe('values that are at hand are looked at without being asked', () => {
  const hole = [...xs.slice(0, 3), [1, Number.NaN, 2]];
  const tensors = (values: number[][]): Batch => ({
    xs: tf.tensor2d(values),
    ys: tf.zeros([values.length, 1]),
  });

  test.each<[string, () => unknown, string[]]>([
    [
      'a table of arrays',
      () => ({ xs: hole, ys }),
      ['The data of loader "train"', 'xs has 1', '(NaN) in sample 3, value 1', 'checkData: false'],
    ],
    ['targets', () => ({ xs, ys: Float64Array.of(1, 2, Number.NaN, 3) }), ['ys has 1', 'sample 2']],
    [
      'batches of arrays',
      () => [
        { xs, ys },
        { xs: hole, ys },
      ],
      ['Batch 1 of loader "train"', 'xs has 1'],
    ],
    [
      'a generator of tensors',
      function* () {
        yield tensors(xs);
        yield tensors(hole);
      },
      ['Batch 1 of loader "train"', 'xs has 1'],
    ],
    [
      'an async generator of tensors, by name',
      async function* () {
        const { xs: left, ys: right } = tensors(hole);
        yield { xs: { in: left as tf.Tensor }, ys: { out: right as tf.Tensor } };
      },
      ['Batch 0 of loader "train"', 'xs/in has 1'],
    ],
    [
      'single samples',
      () => new DataLoader([{ xs: [1, 2, Infinity], ys: 0 }], { samples: true }),
      ['Batch 0 of loader "train"', '(Infinity)'],
    ],
  ])('%s', async (_what, make, parts) => {
    const source = make() as { next?: unknown };
    expectError(await fitError(source.next ? make : source), 'BAD_DATA', ...parts);
  });

  test('tables of tensors too, and validation data', async () => {
    const table = tensors(hole);
    expectError(await fitError(table), 'BAD_DATA', 'xs has 1', 'sample 3, value 1');
    expectError(await fitError({ xs, ys }, [], { held: { xs: hole, ys } }), 'BAD_DATA', 'loader "held"');
    tf.dispose([table.xs, table.ys!] as tf.Tensor[]);
  });

  test('not where the loader or nonFiniteLoss says otherwise, and not to predict', async () => {
    const trainer = quietTrainer({ model: regressor() });
    const loader = new DataLoader({ xs: hole, ys }, { checkData: false });
    expect((await trainer.fit({ train: loader, epochs: 1 })).status).toBe('completed');
    const outputs = (await quietTrainer({ model: regressor() }).predict({ data: { xs: hole } })) as tf.Tensor;
    expect([...outputs.dataSync()].map(Number.isNaN)).toEqual([false, false, false, true]);
    const skipping = quietTrainer({ model: regressor(), nonFiniteLoss: 'skip' });
    expect((await skipping.fit({ train: { xs: hole, ys }, epochs: 1 })).status).toBe('completed');
  });

  test('what is on a device is not read for it, but for the labels of the first batch', async () => {
    const far = farBackend();
    const { xs: inputs, labels, oneHot } = classes(8);
    const readsOf = async (loss: LossName, ys: tf.Tensor) => {
      const trainer = quietTrainer({ model: classifier(), backend: far.name, loss });
      await trainer.ready();
      const before = far.reads;
      await trainer.fit({ train: { xs: tf.tensor2d(inputs), ys }, epochs: 3, batchSize: 2 });
      return far.reads - before;
    };
    await tf.setBackend(far.name);
    onTestFinished(() => tf.setBackend('cpu').then(() => {}));
    const unchecked = await readsOf('meanSquaredError', tf.tensor2d(oneHot));
    expect(await readsOf('sparseCategoricalCrossentropy', tf.tensor1d(labels))).toBe(unchecked + 1);
  });
});

describe('labels that are no class', () => {
  const { xs: inputs, labels } = classes(6);
  const sparse = { loss: 'sparseCategoricalCrossentropy' } as const;
  const withLabel = (label: number) => labels.map((each, index) => (index === 4 ? label : each));

  async function labelError(train: unknown, options: object = sparse): Promise<HooklineError> {
    const trainer = quietTrainer({ model: classifier(), optimizer: 'sgd', ...options } as TrainerOptions);
    await trainer.ready();
    const before = tf.memory().numTensors;
    const error = await errorOf(trainer.fit({ train: train as Data, epochs: 1, batchSize: 2 }));
    expect(tf.memory().numTensors - before, 'tensors left behind').toBe(0);
    return error;
  }

  test.each([3, -1, 1.5, Number.NaN])('%s of three classes, found before the first step', async (label) => {
    let steps = 0;
    const hooks: Hook[] = [{ name: 'count', onStepEnd: () => void steps++ }];
    const error = await labelError({ xs: inputs, ys: withLabel(label) }, { ...sparse, hooks });
    expectError(
      error,
      'BAD_DATA',
      'loader "train"',
      `ys has ${label} in sample 4`,
      'whole number from 0 to 2',
    );
    expect(error.message).toContain('Number the labels from 0');
    expect(steps).toBe(0);
  });

  test('in tensors that come one after the other, with the batch', async () => {
    const stream = function* () {
      for (const label of [2, 7]) yield { xs: tf.ones([2, 3]), ys: tf.tensor1d([0, label], 'int32') };
    };
    expectError(
      await labelError(stream),
      'BAD_DATA',
      'Batch 1 of loader "train"',
      'target 7 for output "out" in sample 1',
    );
  });

  test('after transformBatch, which may be the one that is wrong', async () => {
    const hooks: Hook[] = [
      { name: 'relabel', transformBatch: (_ctx, { batch }) => ({ ...batch, ys: tf.fill([2], 9, 'int32') }) },
    ];
    const error = await labelError({ xs: inputs, ys: labels }, { ...sparse, hooks });
    expectError(error, 'BAD_DATA', 'Batch 0 of loader "train"', 'target 9 for output "out" in sample 0');
  });

  test('of a module, whose classes show only in its outputs', async () => {
    const weight = tf.variable(tf.ones([3, 3]));
    const model = {
      parameters: () => ({ weight }),
      forward: (batch: unknown) => tf.softmax(tf.matMul(batch as tf.Tensor2D, weight as never)),
    };
    const error = await labelError({ xs: inputs, ys: withLabel(3) }, { ...sparse, model });
    expectError(error, 'BAD_DATA', 'target 3', 'whole number from 0 to 2');
  });

  test('with several outputs, of the one that is meant', async () => {
    const input = tfl.input({ shape: [3] });
    const outputs = ['kind', 'colour'].map((name, index) =>
      tfl.layers.dense({ units: 3 + index, name, activation: 'softmax' }).apply(input),
    );
    const model = tfl.model({ inputs: input, outputs: outputs as tfl.SymbolicTensor[] });
    const data = (kind: number, colour: number) => ({
      xs: inputs,
      ys: { colour: withLabel(colour), kind: withLabel(kind) },
    });
    expectError(await labelError(data(3, 3), { ...sparse, model }), 'BAD_DATA', 'ys/kind has 3', '0 to 2');
    expectError(await labelError(data(2, 4), { ...sparse, model }), 'BAD_DATA', 'ys/colour has 4', '0 to 3');
  });

  test('shares of classes are between 0 and 1', async () => {
    const loss = 'binaryCrossentropy';
    const error = await labelError({ xs, ys: [[0], [1], [2], [1]] }, { loss, model: regressor() });
    expectError(error, 'BAD_DATA', 'target 2 for output "out"', 'from 0 to 1', '"binaryCrossentropy"');
    const rows = labels.map(() => [0.5, 0.7, -0.2]);
    const dense = await labelError({ xs: inputs, ys: rows }, { loss: 'categoricalCrossentropy' });
    expectError(dense, 'BAD_DATA', 'target -0.2', 'one-hot rows');
  });

  test('one-hot rows of another width', async () => {
    const rows = labels.map(() => [0, 1, 0, 0]);
    const error = await labelError({ xs: inputs, ys: rows }, { loss: 'categoricalCrossentropy' });
    expectError(error, 'BAD_BATCH', '[2,4]', '[2,3]');
  });
});

describe('what does not fit together', () => {
  test('columns of unequal length are named by their paths', async () => {
    const error = await fitError({ xs: { a: xs, b: { c: xs.slice(1) } }, ys });
    expectError(error, 'BAD_DATA', 'loader "train"', 'xs/a has 4', 'xs/b/c has 3', 'as many of each');
  });

  test('samples of unequal form', async () => {
    const of = (samples: unknown[]) =>
      fitError(new DataLoader(samples as never, { samples: true, shuffle: false }));
    expectError(await of([{ xs: [1, 2, 3] }, { xs: [1, 2] }]), 'BAD_DATA', 'sample 1');
    expectError(
      await of([{ xs: Float32Array.of(1, 2) }, { xs: Float32Array.of(1) }]),
      'BAD_DATA',
      'xs of sample 1',
      '2 values',
    );
    expectError(await of([{ xs: 1 }, { xs: [1] }]), 'BAD_DATA', 'xs of sample 1', 'a number');
    expectError(await of([{ xs: { a: 1 } }, { xs: {} }]), 'BAD_DATA', 'xs/a of sample 1');
    expectError(await of([{ xs: [1, 2, 3], ys: 1 }, { xs: [1, 2, 3] }]), 'BAD_DATA', 'ys of sample 1');
    expectError(await of([{ ys: 1 }]), 'BAD_DATA', 'xs of a sample is undefined', 'collate');
    expectError(await of(['text']), 'BAD_DATA', 'xs of a sample is undefined');
    const made = () => [3, 2].map((size) => ({ xs: tf.ones([3]), ys: tf.ones([size]) })).values();
    const error = await fitError(new DataLoader(made, { samples: true }));
    expectError(error, 'BAD_DATA', 'ys of sample 1', 'a tensor of shape [3]');
  });

  test('data that is no data', async () => {
    for (const [source, what] of [
      [5, 'number'],
      ['text', 'string'],
      [undefined, 'undefined'],
      [null, 'null'],
      [tf.zeros([2, 3]), 'object'],
    ] as const) {
      const error = await errorOf(epochOf(new DataLoader(source as never)));
      expectError(error, 'BAD_DATA', `The data of loader "data" is ${what}`, '{ xs, ys }', 'csv(file)');
    }
    const empty = await errorOf(epochOf(new DataLoader([], { samples: true })));
    expectError(empty, 'BAD_DATA', 'loader "data" is empty');
    expectError(await errorOf(epochOf(new DataLoader([]))), 'BAD_DATA', 'gave no batch');
    expectError(await errorOf(epochOf(new DataLoader({ xs: {} }))), 'BAD_DATA', 'at least one column');
    expectError(await errorOf(epochOf(new DataLoader({ xs: tf.scalar(1) }))), 'BAD_DATA', 'single number');
    expectError(
      await errorOf(epochOf(new DataLoader({ xs: { a: 1 } as never }))),
      'BAD_DATA',
      'xs/a must be',
    );
    const big = BigInt64Array.of(1n) as never;
    expectError(await errorOf(epochOf(new DataLoader({ xs: big }))), 'BAD_DATA', 'xs must be');
  });

  test('a function that returns no stream', async () => {
    const promise = (async () => [{ xs, ys }]) as never;
    expectError(await fitError(promise), 'BAD_DATA', 'returned a promise', 'async function*');
    expectError(await fitError(() => 5), 'BAD_DATA', 'returned number');
  });
});

describe('options that make no sense', () => {
  test.each<[DataLoaderOptions, string[]]>([
    [{ batchsize: 3 } as never, ['Did you mean "batchSize"?']],
    [{ batchSize: 0 }, ['batchSize is 0', 'at least 1']],
    [{ batchSize: 1.5 }, ['batchSize is 1.5']],
    [{ shuffleBuffer: 0 }, ['shuffleBuffer']],
    [{ prefetch: -1 }, ['prefetch is -1', 'at least 0']],
  ])('%j', async (options, parts) => {
    const error = await errorOf(() => new DataLoader({ xs, ys }, options));
    expectError(error, 'BAD_OPTIONS', 'new DataLoader()', ...parts);
  });

  test('those that would do nothing are refused with the reason', async () => {
    const refused = async (loader: DataLoader, ...parts: string[]) =>
      expectError(await errorOf(epochOf(loader)), 'BAD_OPTIONS', 'does nothing', ...parts);
    await refused(new DataLoader([{ xs, ys }], { batchSize: 2 }), 'batchSize', 'samples: true');
    await refused(new DataLoader(() => [{ xs, ys }], { dropLast: true }), 'dropLast', 'whole batches');
    await refused(new DataLoader({ xs, ys }, { samples: true }), 'samples', 'a table');
    await refused(new DataLoader({ xs, ys }, { shuffleBuffer: 5 }), 'shuffleBuffer');
    const own = { name: 'own', batches: 1, owned: true, epoch: () => [batch()] };
    await refused(new DataLoader(own, { shuffle: true }), 'shuffle', 'of your own');
  });

  test('a place in other data', async () => {
    const loader = new DataLoader({ xs, ys }, { batchSize: 1 });
    for await (const { xs } of loader) {
      tf.dispose(xs as tf.Tensor);
      break;
    }
    const state = loader.saveState();
    const error = await errorOf(() => new DataLoader({ xs, ys }, { batchSize: 2 }).loadState(state));
    expectError(error, 'CHECKPOINT_MISMATCH', 'other options of new DataLoader()');
  });
});
