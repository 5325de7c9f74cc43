import { defineHook } from '@hookline/hook-api';
import type { OptimizerOption } from '@hookline/trainer';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { freezeParameters } from '../src/freeze-parameters.js';
import { train } from './tiny-training.js';

test.each<OptimizerOption>([
  { name: 'sgd', lr: 0.05 },
  { name: 'sgd', lr: 0.05, momentum: 0.9, weightDecay: 0.1 },
  { name: 'adamw', lr: 0.05, weightDecay: 0.5 },
])('frozen parameters stay as they are while the others learn, and learn later: %o', async (optimizer) => {
  const encoders: number[][] = [];
  const heads: number[][] = [];
  const observer = defineHook({
    name: 'observer',
    onEpochStart({ state }) {
      const [encoder, head] = (state.model as LayersModel).layers.map((layer) =>
        layer.getWeights().flatMap((weight) => [...weight.dataSync()]),
      );
      encoders.push(encoder!);
      heads.push(head!);
    },
  });

  await train([freezeParameters({ epochs: 2 }), observer], { epochs: 4 }, { optimizer });

  expect(encoders[1]).toEqual(encoders[0]);
  expect(encoders[2]).toEqual(encoders[0]);
  expect(encoders[3]).not.toEqual(encoders[0]);
  expect(heads[1]).not.toEqual(heads[0]);
});
