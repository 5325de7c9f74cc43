import { regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

describe('trainer.summary()', () => {
  test('is a table of the layers with their shapes and parameters', async () => {
    const trainer = quietTrainer({ model: regressor() });
    expect(await trainer.summary()).toBe(
      [
        'layer   kind   output      parameters',
        'hidden  Dense  [batch, 4]          16',
        'out     Dense  [batch, 1]           5',
        '',
        '21 parameters, 21 of them trained',
        '84 B of weights, 84 B of gradients, 168 B of optimizer state, 20 B of outputs for each sample',
      ].join('\n'),
    );
  });

  test('counts the layers of a model inside once, and says nothing of what it cannot know', async () => {
    const inner = tfl.sequential({ layers: [tfl.layers.dense({ units: 8, inputShape: [3] })] });
    const nested = tfl.sequential({ layers: [inner, tfl.layers.dense({ units: 2 })] });
    const summary = await quietTrainer({ model: nested, optimizer: tf.train.adam(0.1) }).summary();
    expect(summary).toContain('200 B of weights, 200 B of gradients, 40 B of outputs for each sample');
    const anyLength = tfl.sequential({
      layers: [tfl.layers.lstm({ units: 2, returnSequences: true, inputShape: [null, 3] })],
    });
    expect(await quietTrainer({ model: anyLength }).summary()).not.toContain('of outputs');
  });

  test('lists the parameters of a module by path', async () => {
    const weight = tf.variable(tf.zeros([2, 3]), true, 'overview-weight');
    const trainer = quietTrainer({
      model: { parameters: () => ({ 'linear/weight': weight }), forward: (xs) => xs },
    });
    expect(await trainer.summary()).toContain('linear/weight  parameter  [2, 3]           6');
    weight.dispose();
  });
});
