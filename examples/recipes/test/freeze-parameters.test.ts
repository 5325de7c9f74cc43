import { defineHook } from '@hookline/hook-api';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { freezeParameters } from '../src/freeze-parameters.js';
import { train } from './tiny-training.js';

test('frozen parameters stand still while the others learn, and learn when their time has come', async () => {
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

  await train([freezeParameters({ epochs: 2 }), observer], { epochs: 4 });

  expect(encoders[1]).toEqual(encoders[0]);
  expect(encoders[2]).toEqual(encoders[0]);
  expect(encoders[3]).not.toEqual(encoders[0]);
  expect(heads[1]).not.toEqual(heads[0]);
});
