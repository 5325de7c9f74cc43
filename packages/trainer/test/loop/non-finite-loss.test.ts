import {
  collectingLogger,
  errorOf,
  fixWeights,
  recorder,
  regression,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { DataLoader, type TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

/** With moving averages, which the forward pass changes by itself. */
function model(): tfl.Sequential {
  return fixWeights(
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 4, inputShape: [3] }),
        tfl.layers.batchNormalization(),
        tfl.layers.dense({ units: 1 }),
      ],
    }),
    9,
  );
}

const good = regression(8);
const first = { xs: good.xs.slice(0, 4), ys: good.ys.slice(0, 4) };
/** Two batches of 4; the second has a NaN. */
const bad = { xs: [...good.xs.slice(0, 7), [Number.NaN, 0, 0]], ys: good.ys };

async function setUp(nonFiniteLoss: TrainerOptions['nonFiniteLoss'], hooks: TrainerOptions['hooks'] = []) {
  const built = model();
  // A batch norm that has seen ordinary numbers before.
  tf.tidy(() => built.apply(tf.tensor2d(good.xs), { training: true }) as tf.Tensor);
  const logger = collectingLogger();
  const options = { model: built, hooks, logger, ...(nonFiniteLoss && { nonFiniteLoss }) };
  const trainer = quietTrainer({ ...options, optimizer: { name: 'sgd', lr: 0.1 } });
  return { built, trainer, warnings: () => logger.lines.filter(({ level }) => level === 'warn') };
}

const FIT = { epochs: 1, batchSize: 4, shuffle: false };

async function weightsAfterFirstBatch(): Promise<number[][]> {
  const { built, trainer } = await setUp('warn');
  await trainer.fit({ train: first, ...FIT });
  return weightsOf(built);
}

test('throw: the run fails with epoch and batch, and the weights are as before that batch', async () => {
  const { built, trainer } = await setUp('throw');
  const error = await errorOf(trainer.fit({ train: bad, ...FIT }));
  expect(error.code).toBe('NON_FINITE_LOSS');
  for (const part of ['epoch 1', 'batch 2', 'loader "train"', 'lower the learning rate']) {
    expect(error.message).toContain(part);
  }
  expect(weightsOf(built)).toEqual(await weightsAfterFirstBatch());
});

test('skip: the batch is left out with a warning, the weights as before it, and training continues', async () => {
  const seen = recorder('recorder', ['onTrainBatchEnd', 'onStepEnd']);
  const { built, trainer, warnings } = await setUp('skip', [seen]);
  const { status, history } = await trainer.fit({ train: bad, ...FIT });
  expect(status).toBe('completed');
  expect(seen.of('onTrainBatchEnd').map(({ payload }) => payload.skipped)).toEqual([false, true]);
  expect(seen.of('onStepEnd')).toHaveLength(1);
  expect(Number.isFinite(history[0]!['train/loss'])).toBe(true);
  expect(weightsOf(built)).toEqual(await weightsAfterFirstBatch());
  expect(warnings().map(({ message }) => message)).toEqual([
    'Skipped a batch with a non-finite loss: epoch 1, batch 2 of loader "train".',
  ]);
});

test('skip and throw train the same weights as warn when all is well', async () => {
  const trained = async (mode: TrainerOptions['nonFiniteLoss']) => {
    const { built, trainer } = await setUp(mode);
    await trainer.fit({ train: good, ...FIT, epochs: 3 });
    return weightsOf(built);
  };
  const expected = await trained('warn');
  expect(await trained('skip')).toEqual(expected);
  expect(await trained('throw')).toEqual(expected);
});

test.each([
  ['when a hook reads the loss', [recorder('reader', ['onTrainBatchEnd'])]],
  ['at the end of the epoch, when nobody reads before', []],
])(
  'by default data that is checked is refused, and what is not goes on with one warning: %s',
  async (_when, hooks) => {
    const { trainer, warnings } = await setUp(undefined, hooks);
    expect((await errorOf(trainer.fit({ train: bad, ...FIT }))).code).toBe('BAD_DATA');
    const train = new DataLoader(bad, { checkData: false });
    const { status } = await trainer.fit({ train, ...FIT, epochs: 3 });
    expect(status).toBe('completed');
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]!.message).toContain('The loss is NaN as of epoch 1, batch 2');
    expect(warnings()[0]!.message).toContain("nonFiniteLoss: 'throw' or 'skip'");
  },
);

test('an epoch whose loss is not a number is never the best', async () => {
  const { trainer } = await setUp('warn');
  const { best, history } = await trainer.fit({ train: bad, ...FIT, epochs: 2 });
  expect(history[0]!['train/loss']).toBeNaN();
  expect(best).toBeUndefined();
});
