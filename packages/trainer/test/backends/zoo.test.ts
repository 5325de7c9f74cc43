import type { TrainableModule } from '@hookline/hook-api';
import { numbers, someOf, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';
import { ZOO, type ZooModel } from './zoo/models.js';

const BACKEND = TEST_BACKEND === 'cpu' ? 'wasm' : TEST_BACKEND;
const [SAMPLES, BATCH, EPOCHS] = [8, 4, 2];

/** All weights, and the mean loss of each epoch. */
interface Trained {
  weights: number[];
  losses: number[];
}

test.each(someOf(Object.keys(ZOO), 9))(`trains on ${BACKEND} as on cpu: %s`, async (name) => {
  const model = ZOO[name]!;
  const expected = await train(model, 'cpu');
  const actual = await train(model, BACKEND);
  expect(expected.losses.every(Number.isFinite)).toBe(true);
  // It learned something, or equal weights would mean nothing.
  expect(expected.losses[0]).not.toBe(expected.losses[1]);
  expect(distance(actual.weights, expected.weights)).toBeLessThan(1e-6);
  expect(distance(actual.losses, expected.losses)).toBeLessThan(1e-6);
});

async function train({ shape, kinds, build }: ZooModel, backend: string): Promise<Trained> {
  const trainer = quietTrainer({
    model: build,
    backend,
    optimizer: { name: 'sgd', lr: 0.01, momentum: 0.9 },
  });
  const model = await trainer.model();
  const parameters = parametersOf(model as LayersModel | TrainableModule);
  parameters.forEach((variable, index) => {
    const values = numbers(variable.size, index + 1).map((value) => value * 0.5);
    tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)));
  });
  const size = shape.reduce((product, each) => product * each, 1);
  const xs = numbers(SAMPLES * size, 99).map((x) => (kinds ? Math.floor(((x + 1) / 2) * kinds) : x));
  const ys = numbers(SAMPLES * 2, 98);
  const columns = { xs: tf.tensor(xs, [SAMPLES, ...shape]), ys: tf.tensor(ys, [SAMPLES, 2]) };
  const { history } = await trainer.fit({ train: columns, epochs: EPOCHS, batchSize: BATCH });
  const weights: number[] = [];
  for (const variable of parameters) weights.push(...(await variable.data()));
  tf.dispose(columns);
  trainer.dispose();
  return { weights, losses: history.map((metrics) => metrics['train/loss']!) };
}

function parametersOf(model: LayersModel | TrainableModule): tf.Variable[] {
  if (!('trainableWeights' in model)) return Object.values(model.parameters!());
  return model.trainableWeights.map((weight) => weight.read() as tf.Variable);
}

/** The largest difference, relative to the largest number. */
function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  const differences = Array.from(expected, (value, index) => Math.abs(value - actual[index]!));
  return Math.max(...differences) / Math.max(...Array.from(expected, Math.abs));
}
