import type { Hook } from '@hookline/hook-api';
import { tap } from '@hookline/layer-taps';
import { fixWeights, needyModel, ownProperties, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';
import { trainingStep, valuesOf } from './training-step.js';

const { layers } = tfl;
const batch = { xs: tf.tensor3d(rows(2, 6).flat(), [2, 3, 2]), ys: tf.tensor2d(rows(2, 2, 5)) };

test('after a run the model is as it was', async () => {
  const model = needyModel();
  const [before, json] = [ownProperties(model), model.toJSON()];
  const trainer = quietTrainer({ model });
  await trainer.fit({ train: [batch], validation: [batch], epochs: 1 });
  expect(ownProperties(model)).toEqual(before);
  expect(model.toJSON()).toEqual(json);
});

test('after a forward pass that fails the model is as it was', async () => {
  const model = needyModel();
  const before = ownProperties(model);
  const failing: Hook = {
    name: 'failing',
    layers: 'lstm',
    transformActivation: () => {
      throw new Error('no');
    },
  };
  const trainer = quietTrainer({ model, hooks: [failing] });
  await expect(trainer.fit({ train: [batch], epochs: 1 })).rejects.toThrow('no');
  expect(ownProperties(model)).toEqual(before);
});

/** The activations that are seen at each layer, and the loss. */
async function seenByHook(model: tfl.LayersModel): Promise<{ seen: Record<string, number[]>; loss: number }> {
  const seen: Record<string, number[]> = {};
  const hook: Hook = {
    name: 'watch',
    layers: ['frozen', 'plain', 'lstm'],
    onForward: (_ctx, { path, output }) => {
      seen[path] = valuesOf(output);
    },
  };
  const { loss } = await trainingStep(model, batch, { hooks: [hook] });
  return { seen, loss };
}

test('taps that were there before, and those of hooks, see the corrected layers and change nothing', async () => {
  const { loss } = await trainingStep(needyModel(), batch);
  const model = needyModel();
  const early: Record<string, number[]> = {};
  const tapped = tap(model, ['frozen', 'plain', 'lstm'], ({ path, output }) => {
    early[path] = valuesOf(output);
  });
  const { seen, loss: watched } = await seenByHook(model);
  tapped.remove();
  expect(watched).toBe(loss);
  expect(Object.keys(seen)).toEqual(['frozen', 'plain', 'lstm']);
  expect(early).toEqual(seen);
  // Frozen: normalised with the averages, as in prediction.
  const [masking, frozen] = model.layers;
  const expected = tf.tidy(() => valuesOf(frozen!.call(masking!.call(batch.xs, {}), {}) as tf.Tensor));
  expect(seen.frozen).toEqual(expected);
  // Plain: mean 0 over the batch in each channel.
  const channel = seen.plain!.filter((_, i) => i % 2 === 0);
  expect(channel.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 4);
});

test('a hook that replaces the output of an inner model keeps its mask', async () => {
  const inner = tfl.sequential({ layers: [layers.dense({ units: 2, inputShape: [3, 2] })] });
  const model = fixWeights(
    tfl.sequential({
      layers: [layers.masking({ inputShape: [3, 2] }), inner, layers.simpleRNN({ units: 2 })],
    }),
  );
  const padded = tf.tensor3d([...rows(1, 6).flat(), ...rows(1, 2, 2).flat(), 0, 0, 0, 0], [2, 3, 2]);
  const outputsWith = async (hooks: Hook[]) =>
    valuesOf((await quietTrainer({ model, hooks }).predict({ data: [{ xs: padded }] })) as tf.Tensor);
  const same: Hook = { name: 'same', transformActivation: (_ctx, { output }) => tf.clone(output) };
  expect(await outputsWith([same])).toEqual(await outputsWith([]));
});

test('a masked, stateful model leaves no tensor behind', async () => {
  const trainer = quietTrainer({ model: needyModel() });
  const fit = { train: [batch], validation: [batch] };
  await trainer.fit({ ...fit, epochs: 2 });
  const before = tf.memory().numTensors;
  await trainer.fit({ ...fit, epochs: 5 });
  expect(tf.memory().numTensors).toBe(before);
});
