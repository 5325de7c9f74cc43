import { Feed, loadersOf } from '@hookline/data';
import { collectingLogger, rows, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { customModule } from '../../src/model/custom-module.js';
import type { Objective } from '../../src/objective/objective.js';
import { Cursor } from '../../src/resume/cursor.js';
import { RandomState } from '../../src/run/random.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const objective: Objective = { loss: undefined, metricsFor: () => [], metricNames: [] };

function setUp() {
  const [weight, mean] = [tf.variable(tf.scalar(1)), tf.variable(tf.scalar(0))];
  const trainable = customModule({
    parameters: () => ({ weight }),
    buffers: () => ({ mean }),
    forward: (xs) => xs,
  });
  const random = new RandomState(1);
  const cursor = new Cursor({ trainable, random, optimizers: [], logger: collectingLogger() });
  open.push(cursor);
  return { cursor, random, mean };
}

const open: Cursor[] = [];
afterEach(() => {
  for (const cursor of open.splice(0)) cursor.dispose();
});

const feed = () =>
  new Feed(
    loadersOf({ xs: rows(8, 2), ys: rows(8, 1) }, 'train', {
      batchSize: 2,
      shuffle: false,
      inOrder: true,
      seed: 1,
      checkData: false,
      shapes: undefined,
    }),
  );

describe('what comes next', () => {
  test('a part is done when it is next, and passed over when it is not', async () => {
    const { cursor } = setUp();
    const done: string[] = [];
    await cursor.at('batch', () => void done.push('batch'));
    await cursor.at('epochEnd', () => void done.push('epochEnd'));
    cursor.commit({ next: 'validation' });
    await cursor.at(['boundary', 'validation'], async () => void done.push('boundary or validation'));
    expect(done).toEqual(['batch', 'boundary or validation']);
  });

  test('a resumed run continues with what the earlier run was about to do', async () => {
    const { cursor } = setUp();
    cursor.resume({ step: 3, batchesDone: 6, next: 'epochValidation' }, { loaders: null }, {});
    cursor.begin(objective);
    const done: string[] = [];
    await cursor.at('batch', () => void done.push('batch'));
    await cursor.at('epochValidation', () => void done.push('validation'));
    expect(done).toEqual(['validation']);
    expect(cursor.place).toMatchObject({ step: 3, batchesDone: 6 });
  });
});

describe('a part that is done as a whole or not at all', () => {
  test('shows what was before it until it is committed', () => {
    const { cursor, random, mean } = setUp();
    const words = random.save();
    cursor.hold();
    random.next();
    mean.assign(tf.scalar(5));
    expect(cursor.random).toEqual(words);
    expect(cursor.valueOf(mean).dataSync()[0]).toBe(0);
    cursor.commit({ batchesDone: 1 });
    expect(cursor.random).toEqual(random.save());
    expect(cursor.random).not.toEqual(words);
    expect(cursor.valueOf(mean).dataSync()[0]).toBe(5);
  });

  test('can be undone: values go back, the random state does not', () => {
    const { cursor, random, mean } = setUp();
    cursor.hold();
    random.next();
    const words = random.save();
    mean.assign(tf.scalar(5));
    cursor.undo();
    expect(mean.dataSync()[0]).toBe(0);
    expect(random.save()).toEqual(words);
  });

  test('takes effect together with its work: when the work throws, the place stays', () => {
    const { cursor } = setUp();
    const work = () => {
      throw new Error('no step');
    };
    expect(() => cursor.commit({ step: 1, next: 'boundary' }, work)).toThrow('no step');
    expect(cursor.place).toEqual({ step: 0, batchesDone: 0, stepBegun: false, next: 'batch' });
    expect(cursor.commit({ step: 1 }, () => 'done')).toBe('done');
    expect(cursor.place.step).toBe(1);
  });

  test('leaves no tensor behind, however often it is held', () => {
    const { cursor } = setUp();
    const before = tf.memory().numTensors;
    for (let i = 0; i < 5; i++) cursor.hold();
    cursor.commit({});
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('steps', () => {
  test('begin once, also for the batch that is repeated after a resume', () => {
    const { cursor } = setUp();
    expect([cursor.beginStep(), cursor.beginStep()]).toEqual([true, false]);
    cursor.commit({ step: 1, stepBegun: false });
    expect(cursor.isWithinStep).toBe(false);
    expect(cursor.beginStep()).toBe(true);
    // The batch was not committed, so a run resumed here fires onStepStart again.
    expect(cursor.place.stepBegun).toBe(false);
  });
});

describe('data', () => {
  async function after(commits: (cursor: Cursor, batch: number) => void, batches: number) {
    const { cursor } = setUp();
    const data = feed();
    cursor.begin(objective, data);
    let seen = 0;
    for await (const { batch } of data.epoch(0)) {
      tf.dispose([batch.xs, batch.ys] as tf.Tensor[]);
      commits(cursor, ++seen);
      if (seen === batches) break;
    }
    return { cursor, loaders: cursor.save().loop.loaders };
  }

  test('is saved as of the last batch that was committed', async () => {
    const { loaders } = await after((cursor, batch) => batch < 3 && cursor.commit({ batchesDone: batch }), 3);
    expect(loaders).toMatchObject({ epoch: 0, batch: 2 });
  });

  test('is at the start of the next epoch when the epoch is committed, used to its end or not', async () => {
    const { cursor } = await after((cursor, batch) => void cursor.commit({ batchesDone: batch }), 2);
    cursor.commitEpoch(() => {});
    expect(cursor.place).toMatchObject({ batchesDone: 0, next: 'epochLog' });
    expect(cursor.save().loop.loaders).toMatchObject({ epoch: 1, batch: 0 });
    cursor.commit({ next: 'batch' });
    expect(cursor.save().loop.loaders).toMatchObject({ epoch: 1, batch: 0 });
  });

  test('that is not the same any more starts the epoch over', () => {
    const { cursor } = setUp();
    const loaders = { ...feed().saveState(), batch: 2, mix: 'another' };
    cursor.resume({ step: 2, batchesDone: 2, next: 'boundary' }, { loaders }, {});
    cursor.begin(objective, feed());
    expect(cursor.place).toEqual({ step: 2, batchesDone: 0, stepBegun: false, next: 'batch' });
  });

  test('before the loop begins, what was resumed is saved as it was', () => {
    const { cursor } = setUp();
    const loaders = { ...feed().saveState(), batch: 2 };
    cursor.resume({ batchesDone: 2 }, { loaders }, {});
    expect(cursor.save().loop.loaders).toEqual(loaders);
    expect(cursor.isFixed).toBe(false);
  });
});
