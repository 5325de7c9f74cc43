import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { unitAblation } from '../src/unit-ablation.js';
import { plane, train } from './tiny-training.js';

const { xs } = plane(16);
const unit = 1;

test('the outputs are those of a model without the unit', async () => {
  const { trainer } = await train([unitAblation({ layer: 'encoder', unit })]);
  const ablated = await outputsOf(trainer);
  trainer.removeHook('unit-ablation');
  const whole = await outputsOf(trainer);
  await cutOff((await trainer.model()) as LayersModel);

  expect(whole).not.toEqual(ablated);
  expect(await outputsOf(trainer)).toEqual(ablated);
});

test('no gradient reaches the unit, and the others learn', async () => {
  const biases = async (hooks: Parameters<typeof train>[0]) => {
    const { trainer } = await train(hooks);
    const model = (await trainer.model()) as LayersModel;
    return [...model.layers[0]!.getWeights()[1]!.dataSync()].map((bias) => bias !== 0);
  };

  const learns = await biases([]);
  expect(learns[unit]).toBe(true);
  expect(await biases([unitAblation({ layer: 'encoder', unit })])).toEqual(learns.with(unit, false));
});

async function outputsOf(trainer: {
  predict(options: { data: object }): Promise<unknown>;
}): Promise<number[]> {
  return [...((await trainer.predict({ data: { xs } })) as tf.Tensor).dataSync()];
}

/** Takes the unit's weight out of the layer above. */
async function cutOff(model: LayersModel): Promise<void> {
  const [kernel, bias] = model.layers[1]!.getWeights() as [tf.Tensor2D, tf.Tensor];
  const rows = await kernel.array();
  model.layers[1]!.setWeights([tf.tensor2d(rows.with(unit, [0])), bias]);
}
