import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { validationImprovement } from '../src/validation-improvement.js';
import { train } from './tiny-training.js';

test('each validation says how far the metric is above its best', async () => {
  const rising = [0.5, 0.7, 0.6, 0.65];
  let validations = 0;
  // An accuracy that we know beforehand: one value for each validation.
  const scripted = { name: 'accuracy', update: () => tf.scalar(0), result: () => rising[validations]! };
  const counter = { name: 'counter', onValidationEnd: () => void validations++ };

  const { said } = await train([validationImprovement(), counter], { epochs: 4 }, { metrics: [scripted] });

  expect(said.filter((line) => line.includes('validation-improvement'))).toEqual([
    'info validation-improvement: val/accuracy 0.5000, improvement 0.5000',
    'info validation-improvement: val/accuracy 0.7000, improvement 0.2000',
    'info validation-improvement: val/accuracy 0.6000, improvement -0.1000',
    'info validation-improvement: val/accuracy 0.6500, improvement -0.0500',
  ]);
});
