import * as tf from '@tensorflow/tfjs-core';
import { expect, onTestFinished } from 'vitest';
import { type CapturedState, TapManager, type TapManagerOptions } from '../src/index.js';
import { mlp } from './models.js';

export const X: tf.Tensor2D = tf.tensor2d([
  [1, 2, 3],
  [-1, 0.5, 2],
]);
export const SEQUENCE: tf.Tensor = tf.randomNormal([2, 4, 3], 0, 1, 'float32', 8);
export const STREAM: tf.Tensor2D = tf.tensor2d([
  [1, -1, 0.5, 2],
  [0.2, 0.4, -2, 1],
  [1, 1, 1, -1],
]);

/** Every metric that is computed from the values of an output. */
export const OF_VALUES = [
  'mean',
  'std',
  'norm',
  'min',
  'max',
  'sparsity',
  'dead',
  'nonFinite',
  'histogram',
] as const;

/** The values of the first output. */
export const values = ({ outputs }: Pick<CapturedState, 'outputs'>): number[] => [...outputs[0]!.data];

/** A model with a manager, which is disposed after the test. */
export function managed(
  options: TapManagerOptions = {},
  someModel: ConstructorParameters<typeof TapManager>[0] = mlp(),
): { manager: TapManager; someModel: ReturnType<typeof mlp> } {
  const manager = new TapManager(someModel, options);
  onTestFinished(() => manager.dispose());
  return { manager, someModel: someModel as ReturnType<typeof mlp> };
}

/** Nothing is left behind but what `make` returns. */
export function leakless(make: () => unknown): void {
  const before = tf.memory().numTensors;
  const made = make();
  // What `expect` returns is not for tfjs to walk.
  if (typeof made === 'object' && made !== null && !('to' in made)) tf.dispose(made as tf.Tensor);
  expect(tf.memory().numTensors).toBe(before);
}
