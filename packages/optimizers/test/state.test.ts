import type { HostTensor } from '@hookline/hook-api';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OptimizerSpec } from '../src/index.js';
import { drive, driveAll, GRADIENTS } from './drive.js';

const cases: [string, OptimizerSpec, string[]][] = [
  ['sgd', { name: 'sgd', lr: 0.1, momentum: 0.9 }, ['velocity']],
  ['adam', 'adam', ['m', 'v']],
  ['adamw', 'adamw', ['m', 'v']],
  ['rmsprop', { name: 'rmsprop', centered: true, momentum: 0.9 }, ['square', 'mean', 'velocity']],
  ['adagrad', { name: 'adagrad', initialAccumulator: 0.1 }, ['sum']],
  ['adadelta', 'adadelta', ['square', 'delta']],
  ['lion', 'lion', ['m']],
];

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test.each(cases)('%s continues to the bit from its saved state', async (_name, spec, slots) => {
    const whole = drive(spec);
    whole.step(GRADIENTS.slice(0, 20));
    const saved = await whole.optimizer.saveState();
    const weights = whole.values();
    whole.step(GRADIENTS.slice(20));

    expect(Object.keys(saved)).toEqual(['step', ...slots.map((slot) => `layer/kernel/${slot}`)]);
    const resumed = drive(spec, weights);
    resumed.optimizer.loadState(saved);
    resumed.step(GRADIENTS.slice(20));
    expect(resumed.values()).toEqual(whole.values());
    const forgetful = drive(spec, weights);
    forgetful.step(GRADIENTS.slice(20));
    expect(forgetful.values()).not.toEqual(whole.values());
  });

  test.each(cases)('%s knows which saved tensors are its own', async (_name, spec) => {
    const { optimizer, step } = drive(spec);
    step(GRADIENTS.slice(0, 1));
    const saved = await optimizer.saveState();
    for (const [name, tensor] of Object.entries(saved)) expect(optimizer.fits(name, tensor)).toBe(true);
    const [, [name, tensor]] = Object.entries(saved) as [unknown, [string, HostTensor]];
    expect(optimizer.fits(name, { ...tensor, shape: [4] })).toBe(false);
    expect(optimizer.fits(`other/${name}`, tensor)).toBe(false);
    expect(optimizer.fits('layer/kernel/nothing', tensor)).toBe(false);
  });

  test.each(cases)('%s disposes its tensors when another state is loaded', async (_name, spec) => {
    const { optimizer, step } = drive(spec);
    step(GRADIENTS.slice(0, 2));
    const before = tf.memory().numTensors;
    await optimizer.loadState(await optimizer.saveState());
    expect(tf.memory().numTensors).toBe(before);
  });
});

test('a state that was saved on one backend continues on another with the same bits', async () => {
  await useBackend('cpu');
  const onCpu = drive('adamw');
  onCpu.step(GRADIENTS.slice(0, 10));
  const [saved, weights] = [await onCpu.optimizer.saveState(), onCpu.values()];
  onCpu.step(GRADIENTS.slice(10, 20));
  const expected = onCpu.values();
  await useBackend('wasm');
  const onWasm = drive('adamw', weights);
  onWasm.optimizer.loadState(saved);
  onWasm.step(GRADIENTS.slice(10, 20));
  expect(onWasm.values()).toEqual(expected);
});

test('a parameter that never had a gradient has no state, and starts with none after loading', async () => {
  await useBackend('cpu');
  const start = { a: [1, 2], b: [3, 4] };
  const whole = driveAll('adam', start);
  whole.step([{ a: [0.5, -0.5] }]);
  const saved = await whole.optimizer.saveState();
  expect(Object.keys(saved)).toEqual(['step', 'a/m', 'a/v']);
  const resumed = driveAll('adam', whole.values() as typeof start);
  resumed.optimizer.loadState(saved);
  for (const { step } of [whole, resumed]) step([{ a: [1, 1], b: [1, 1] }]);
  expect(resumed.values()).toEqual(whole.values());
});

test('what is saved does not change when training continues', async () => {
  await useBackend('cpu');
  const { optimizer, step } = drive({ name: 'sgd', momentum: 0.9 });
  step(GRADIENTS.slice(0, 1));
  const pending = optimizer.saveState();
  step(GRADIENTS.slice(1, 5));
  const velocity = [...(await pending)['layer/kernel/velocity']!.data];
  expect(velocity).toEqual([...Float32Array.from(GRADIENTS[0]!)]);
});
