import { every, type Hook } from '@hookline/hook-api';
import { collectingLogger } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterEach, expect, test, vi } from 'vitest';
import { LeakWatch } from '../../src/run/leak-watch.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const left: tf.Tensor[] = [];
const make = () => tf.scalar(1);
const leak = () => void left.push(make());
afterEach(() => tf.dispose(left.splice(0)));

/** One step of these runs counts for ten, and hooks make ten times as many tensors: training 560 takes seconds. */
const STEPS = 10;
const times = (what: () => unknown) => {
  for (let count = 0; count < STEPS; count++) what();
};

/** What a run of so many steps warns of. */
async function warningsOf(hooks: Hook[], steps: number): Promise<string[]> {
  const { enterStep } = LeakWatch.prototype;
  const counting = vi.spyOn(LeakWatch.prototype, 'enterStep').mockImplementation(function (
    this: LeakWatch,
    step,
  ) {
    enterStep.call(this, step * STEPS);
  });
  const logger = collectingLogger();
  const model = tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [1] })] });
  const data = {
    xs: Array.from({ length: 100 }, (_, i) => [i / 100]),
    ys: Array.from({ length: 100 }, () => [1]),
  };
  const trainer = quietTrainer({ model, hooks, logger, optimizer: 'adam', accumulate: 1 });
  await trainer.fit({ train: data, epochs: 100, batchSize: 1, maxSteps: steps / STEPS });
  counting.mockRestore();
  return logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

/** Hooks that hold tensors, each in another way, and leave none behind in the long run. */
function tidyHooks(): Hook[] {
  const ring: tf.Tensor[] = [];
  const held: tf.Tensor[] = [];
  return [
    {
      name: 'keeps-the-last-200',
      onStepEnd() {
        times(() => ring.push(make()));
        while (ring.length > 200) ring.shift()!.dispose();
      },
      teardown: () => tf.dispose(ring.splice(0)),
    },
    {
      name: 'from-start-to-end',
      onTrainBatchStart: () => times(() => held.push(make(), make())),
      onTrainBatchEnd: () => tf.dispose(held.splice(0)),
    },
    {
      name: 'replaces-batches',
      transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.mul(batch.xs as tf.Tensor, 1) }),
    },
    { name: 'on-the-tape', onBeforeBackward: (_ctx, { loss }) => void tf.mul(loss, 2) },
  ];
}

test('hooks that leak are named once, with how many tensors a step, and no others are', async () => {
  const leaking: Hook[] = [
    { name: 'leaks-one', onStepEnd: () => times(leak) },
    {
      name: 'leaks-two',
      async onTrainBatchStart() {
        await Promise.resolve();
        times(() => [leak(), leak()]);
      },
    },
    { name: 'leaks-at-times', onTrainBatchEnd: every({ steps: 5 }, () => times(leak)) },
    {
      name: 'leaks-in-a-transform',
      transformBatch: (_ctx, { batch }) => {
        const xs = batch.xs as tf.Tensor;
        times(() => left.push(tf.mul(xs, 2)));
        return { ...batch, xs: tf.mul(left.at(-1)!, 0.5) };
      },
    },
  ];
  const warnings = await warningsOf([...leaking, ...tidyHooks()], 560);
  const starts = warnings.map((message) => message.split('. ')[0]).toSorted();
  expect(starts).toEqual([
    'Hook "leaks-at-times" leaks tensors: 10 in 50 steps, in onTrainBatchEnd',
    'Hook "leaks-in-a-transform" leaks tensors: 1 a step, in transformBatch',
    'Hook "leaks-one" leaks tensors: 1 a step, in onStepEnd',
    'Hook "leaks-two" leaks tensors: 2 a step, in onTrainBatchStart',
  ]);
});

test('where a hook that disposes later could be taken for the one that leaks, both are named as what they are', () => {
  const logger = collectingLogger();
  const watch = new LeakWatch(logger);
  const [leaks, later, atTheEnd] = ['leaks', 'disposes-later', 'disposes-at-the-end'].map((name) => ({
    name,
  }));
  for (let step = 0; step <= 550; step++) {
    watch.enterStep(step);
    leak();
    watch.note(leaks!, 'onStepEnd', 1);
    watch.note(later!, 'onStepEnd', 1);
    watch.note(atTheEnd!, 'onStepStart', 3);
    watch.note(atTheEnd!, 'onStepEnd', -3);
  }
  expect(logger.lines.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^Tensors leak: 1 a step\..* at least one of them .*: "leaks" \(1 a step, in onStepEnd\), "disposes-later" \(1 a step, in onStepEnd\)\./,
    ),
  ]);
});

test('growth that comes to an end is not traced', () => {
  const watch = new LeakWatch(collectingLogger());
  for (let step = 0; step <= 1000; step++) {
    watch.enterStep(step);
    if (step % 500 < 400) leak();
    expect(watch.isTracing).toBe(false);
  }
});
