import { rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { OptimizerSpec } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const STEPS = 50;
const xs = rows(8, 2, 5);
const ys = xs.map(([a, b]) => [3 * a! - b! + 0.5]);

interface Slots {
  velocity: number;
  m: number;
  v: number;
}

type Rule = (weight: number, gradient: number, slots: Slots, step: number) => number;

const sgd =
  (lr: number, momentum = 0, nesterov = false, decay = 0): Rule =>
  (weight, gradient, slots) => {
    const g = gradient + decay * weight;
    slots.velocity = momentum * slots.velocity + g;
    return weight - lr * (nesterov ? g + momentum * slots.velocity : slots.velocity);
  };

const adam =
  (lr: number, { decay = 0, decoupled = 0, b1 = 0.9, b2 = 0.999, eps = 1e-7 } = {}): Rule =>
  (weight, gradient, slots, step) => {
    const g = gradient + decay * weight;
    slots.m = b1 * slots.m + (1 - b1) * g;
    slots.v = b2 * slots.v + (1 - b2) * g * g;
    const mean = slots.m / (1 - b1 ** step);
    const square = slots.v / (1 - b2 ** step);
    return weight - lr * decoupled * weight - (lr * mean) / (Math.sqrt(square) + eps);
  };

/** Linear regression in plain numbers of double precision: two weights and a bias, all samples in each step. */
function reference(rule: Rule): number[] {
  let weights = [0.3, -0.7, 0.1];
  const slots = weights.map((): Slots => ({ velocity: 0, m: 0, v: 0 }));
  for (let step = 1; step <= STEPS; step++) {
    const gradients = [0, 0, 0];
    xs.forEach(([a, b], i) => {
      const error = weights[0]! * a! + weights[1]! * b! + weights[2]! - ys[i]![0]!;
      [a!, b!, 1].forEach((x, k) => {
        gradients[k]! += (2 * error * x) / xs.length;
      });
    });
    weights = weights.map((weight, k) => rule(weight, gradients[k]!, slots[k]!, step));
  }
  return weights;
}

async function trained(optimizer: OptimizerSpec): Promise<number[]> {
  const model = tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [2] })] });
  model.setWeights([tf.tensor2d([0.3, -0.7], [2, 1]), tf.tensor1d([0.1])]);
  const trainer = quietTrainer({ model, optimizer });
  await trainer.fit({ train: { xs, ys }, epochs: STEPS, batchSize: 8 });
  return model.getWeights().flatMap((weight) => [...weight.dataSync()]);
}

const cases: [string, OptimizerSpec, Rule][] = [
  ['sgd', { name: 'sgd', lr: 0.1 }, sgd(0.1)],
  ['sgd by its name alone', 'sgd', sgd(0.01)],
  ['sgd with momentum', { name: 'sgd', lr: 0.05, momentum: 0.9 }, sgd(0.05, 0.9)],
  ['sgd with nesterov', { name: 'sgd', lr: 0.05, momentum: 0.9, nesterov: true }, sgd(0.05, 0.9, true)],
  ['sgd with weight decay', { name: 'sgd', lr: 0.1, weightDecay: 0.2 }, sgd(0.1, 0, false, 0.2)],
  [
    'sgd with everything',
    { name: 'sgd', lr: 0.05, momentum: 0.8, nesterov: true, weightDecay: 0.1 },
    sgd(0.05, 0.8, true, 0.1),
  ],
  ['adam', { name: 'adam', lr: 0.05 }, adam(0.05)],
  ['adam by its name alone', 'adam', adam(0.001)],
  [
    'adam with its own betas and epsilon',
    { name: 'adam', lr: 0.05, beta1: 0.8, beta2: 0.95, epsilon: 1e-3 },
    adam(0.05, { b1: 0.8, b2: 0.95, eps: 1e-3 }),
  ],
  ['adam with weight decay', { name: 'adam', lr: 0.05, weightDecay: 0.1 }, adam(0.05, { decay: 0.1 })],
  ['adamw', { name: 'adamw', lr: 0.05 }, adam(0.05, { decoupled: 0.01 })],
  ['adamw with weight decay', { name: 'adamw', lr: 0.05, weightDecay: 0.3 }, adam(0.05, { decoupled: 0.3 })],
];

test.each(cases)(
  '%s moves the weights as its formula says, over 50 steps',
  async (_name, optimizer, rule) => {
    const expected = reference(rule);
    const actual = await trained(optimizer);
    expected.forEach((weight, i) => {
      expect(Math.abs(actual[i]! - weight), `weight ${i}`).toBeLessThan(2e-5);
    });
  },
);
