import type { Hook } from '@hookline/hook-api';
import { collectingLogger, errorOf, regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const dispose = (tree: unknown): undefined => {
  tf.dispose(tree as tf.TensorContainer);
};

/** Others that see the same tensors, before and after the one that disposes. */
const observers = (name: string): Hook => ({
  name,
  onTrainBatchStart: () => {},
  transformBatch: (_ctx, { batch }) => batch,
  onBeforeBackward: () => {},
  transformGradients: async () => undefined,
  onValidationBatchStart: async () => {},
  onTrainBatchEnd: () => {},
  onAfterBackward: async () => {},
  onBeforeOptimizerStep: () => {},
  onStepEnd: () => {},
});

function run(culprit: Omit<Hook, 'name'>, options: { validation?: boolean } = {}) {
  const logger = collectingLogger();
  const hooks = [observers('before'), { name: 'culprit', ...culprit }, observers('after')];
  const trainer = quietTrainer({ model: regressor(), hooks, logger });
  const data = regression(8);
  const fit = () =>
    trainer.fit({ train: data, epochs: 2, batchSize: 2, ...(options.validation && { validation: data }) });
  const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { fit, warnings, trainer };
}

describe('a run that fails on a disposed tensor names the hook that disposed it, and the event', () => {
  const cases: [what: string, culprit: Omit<Hook, 'name'>, says: string][] = [
    [
      'the inputs of a batch',
      { onTrainBatchStart: (_ctx, { batch }) => dispose(batch.xs) },
      'batch.xs in onTrainBatchStart',
    ],
    [
      'the batch, in a transform',
      { transformBatch: (_ctx, { batch }) => dispose(batch.ys) },
      'batch.ys in transformBatch',
    ],
    [
      'the batch that it returns',
      {
        transformBatch: (_ctx, { batch }) => {
          const xs = tf.mul(batch.xs as tf.Tensor, 2);
          xs.dispose();
          return { ...batch, xs };
        },
      },
      'batch.xs in transformBatch',
    ],
    ['the loss', { onBeforeBackward: (_ctx, { loss }) => loss.dispose() }, 'loss in onBeforeBackward'],
    [
      'gradients, after a wait',
      {
        onAfterBackward: async (_ctx, { gradients }) => {
          await Promise.resolve();
          gradients['out/bias']!.dispose();
        },
      },
      'gradients["out/bias"] in onAfterBackward',
    ],
    [
      'gradients, in a transform',
      { transformGradients: (_ctx, { gradients }) => dispose(gradients['out/bias']) },
      'gradients["out/bias"] in transformGradients',
    ],
    [
      'weights',
      { onStepEnd: (ctx) => dispose(ctx.state.parameters) },
      'ctx.state.parameters["hidden/kernel"], ctx.state.parameters["hidden/bias"], ctx.state.parameters["out/kernel"] and 1 more in onStepEnd',
    ],
    [
      'the output of a layer',
      { layers: 'hidden', onForward: (_ctx, { output }) => output.dispose() },
      'output in onForward',
    ],
    [
      'the output of a layer, in a transform',
      { transformActivation: (_ctx, { output }) => dispose(output) },
      'output in transformActivation',
    ],
    [
      'a batch of the validation',
      { onValidationBatchStart: (_ctx, { batch }) => dispose(batch.xs) },
      'batch.xs in onValidationBatchStart',
    ],
  ];
  test.each(cases)('%s', async (what, culprit, says) => {
    const { fit } = run(culprit, { validation: true });
    const error = await errorOf(fit);
    expect(error.code).toBe('DISPOSED_TENSOR');
    expect(error.message).toContain(`Hook "culprit" disposed ${says}`);
    // What a transform returns is seen when it is disposed already.
    if (!what.endsWith('returns'))
      expect(error.message).toMatch(/, at .*disposed-tensors\.test\.ts:\d+:\d+\./);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('in a loop of trainingStep()', async () => {
    const { trainer } = run({ onAfterBackward: (_ctx, { gradients }) => dispose(gradients) });
    const batch = { xs: tf.ones([2, 3]), ys: tf.ones([2, 1]) };
    const error = await errorOf(() => trainer.trainingStep(batch));
    expect(error).toMatchObject({ code: 'DISPOSED_TENSOR' });
    expect(error.message).toMatch(/^Hook "culprit" disposed gradients\[.* at .*disposed-tensors\.test\.ts/);
  });
});

test('two hooks that dispose the same kind of tensor are both named', async () => {
  const logger = collectingLogger();
  const disposes = (name: string, gradient: string): Hook => ({
    name,
    onAfterBackward: (_ctx, { gradients }) => dispose(gradients[gradient]),
  });
  const hooks = [disposes('one', 'out/bias'), observers('between'), disposes('two', 'out/kernel')];
  const trainer = quietTrainer({ model: regressor(), hooks, logger });
  const error = await errorOf(() => trainer.fit({ train: regression(8), epochs: 1 }));
  expect(error.message).toMatch(/^Hook "(one|two)" and "(one|two)" disposed gradients/);
});

test('hooks hear of the same error', async () => {
  const heard: unknown[] = [];
  const { fit } = run({
    onAfterBackward: (_ctx, { gradients }) => dispose(gradients),
    onException: (_ctx, { error }) => void heard.push(error),
  });
  const error = await errorOf(fit);
  expect(heard).toEqual([error]);
});

test('a hook that disposes long after the start is among those that are named', async () => {
  const { fit } = run({
    onAfterBackward: (ctx, { gradients }) => (ctx.state.step === 6 ? dispose(gradients) : undefined),
  });
  const error = await errorOf(fit);
  expect(error.code).toBe('DISPOSED_TENSOR');
  expect(error.message).toMatch(
    /one of the hooks that are called in this step: "before", "culprit", "after"\./,
  );
});

test('a hook that disposes what nobody needs any more is warned of once, and training continues', async () => {
  const { fit, warnings } = run({ onTrainBatchEnd: (_ctx, { batch }) => dispose(batch.xs) });
  await fit();
  expect(warnings()).toEqual([
    expect.stringMatching(/^Hook "culprit" disposed batch\.xs in onTrainBatchEnd, at .*\.test\.ts/),
  ]);
});

test('a transform may dispose what it replaces', async () => {
  const { fit, warnings } = run({
    transformBatch: (_ctx, { batch }) => {
      const xs = tf.mul(batch.xs as tf.Tensor, 2);
      dispose(batch.xs);
      return { ...batch, xs };
    },
    transformGradients: (_ctx, { gradients }) => {
      const bias = tf.mul(gradients['out/bias']!, 2);
      dispose(gradients['out/bias']);
      return { 'out/bias': bias };
    },
  });
  await fit();
  expect(warnings()).toEqual([]);
});

test('an error that has nothing to do with tensors stays as it is', async () => {
  const { fit } = run({
    onTrainBatchEnd: (_ctx, { batch }) => dispose(batch.xs),
    transformLoss: (ctx, { loss }) => {
      if (ctx.state.step === 1) throw new Error('mine');
      return loss;
    },
  });
  expect((await errorOf(fit)).message).toBe('mine');
});

test('a hook that is added in the middle is set up and called as ever', async () => {
  const seen: string[] = [];
  const late: Hook = {
    name: 'late',
    setup: () => void seen.push('setup'),
    onStepEnd: (_ctx, { step }) => void seen.push(`step ${step}`),
    teardown: () => void seen.push('teardown'),
  };
  const { fit, trainer } = run({
    onTrainBatchStart: (_ctx, { batchIndex }) => {
      if (batchIndex === 1 && seen.length === 0) trainer.hooks.add(late);
    },
  });
  await fit();
  expect(seen.slice(0, 3)).toEqual(['setup', 'step 2', 'step 3']);
  expect(seen.at(-1)).toBe('teardown');
});
