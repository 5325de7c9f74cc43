import { defineHook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { HighLossBrake } from '../src/high-loss-brake.js';
import { train } from './tiny-training.js';

test('the learning rate is halved after every eleventh high loss, and the update uses it', async () => {
  const scales: number[] = [];
  const observer = defineHook({
    name: 'observer',
    onStepStart: ({ state }) => void scales.push(state.optimizers[0]!.groups[0]!.lrScale),
  });
  const braked = await train([new HighLossBrake({ threshold: 0 }), observer], { epochs: 3 });
  const free = await train([], { epochs: 3 });

  expect(scales).toEqual([...Array(11).fill(1), ...Array(11).fill(0.5), 0.25, 0.25]);
  expect(braked.said.filter((line) => line.startsWith('warn high-loss-brake'))).toHaveLength(2);
  expect(braked.weights).not.toEqual(free.weights);
});

test('losses below the threshold change nothing', async () => {
  const hook = new HighLossBrake({ threshold: 1e6 });
  const { weights } = await train([hook]);

  expect(hook.highLosses).toBe(0);
  expect(weights).toEqual((await train([])).weights);
});
