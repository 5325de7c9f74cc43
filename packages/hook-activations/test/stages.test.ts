import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { type ActivationsOptions, activations } from '../src/index.js';
import { type Training, train } from './training.js';

describe('in validation', () => {
  const inValidation: ActivationsOptions = { every: 1, monitor: false, stages: ['validation'] };

  test('a state that can never fit is reported with its size, and switches the hook off', async () => {
    const hook = activations({ ...inValidation, capture: 'first', memoryLimitMb: 0.00001 });
    const run = await train([hook], 'layers', { validation: true });
    expect(run.result.status).toBe('completed');
    expect(run.spoken('error')[0]).toContain('One state of "first" for capture hook "capture" takes 0.1 kB');
    expect(run.spoken('error').at(-1)).toContain('"activations" is disabled');
  });

  test('trouble is warned of once, for as long as it lasts', async () => {
    let pass = 0;
    // Three batches in each of two validations: well in the third and the fourth.
    const custom = () => ![3, 4].includes(++pass) && 'is bad';
    const hook = activations({ ...inValidation, debug: 'out', conditions: { custom } });
    const run = await train([hook], 'layers', { validation: true });
    expect(run.spoken('warn')).toEqual(['The output of "out" is bad.', 'The output of "out" is bad.']);
  });

  test('trouble there is not the trouble of training: each is warned of', async () => {
    const hook = activations({
      ...{ every: 1, monitor: false, stages: ['train', 'validation'], debug: 'out' },
      conditions: { custom: ({ training }) => (training ? 'is bad in training' : 'is bad') },
    });
    const run = await train([hook], 'layers', { validation: true });
    expect(run.spoken('warn')).toEqual([
      'The output of "out" is bad in training.',
      'The output of "out" is bad.',
    ]);
  });

  test('nothing is logged for a step: the records wait with the manager', async () => {
    const hook = activations({ every: 2, stages: ['validation'], monitor: 'out', metrics: ['bytes'] });
    const { series } = await train([hook], 'layers', { validation: true });
    expect(series).toEqual([]);
    // Batches 0 and 2 of each validation, of 4 samples.
    expect(
      hook.taps.getMetrics('monitor').map(({ step, training, values }) => [step, training, values]),
    ).toEqual([3, 3, 6, 6].map((step) => [step, false, { bytes: 16 }]));
  });
});

describe.each(['test', 'predict'] as const)('in %s', (stage) => {
  const data = { xs: tf.ones([4, 3]), ys: tf.ones([4, 1]) };
  const work = async ({ trainer }: Training): Promise<void> => {
    if (stage === 'test') await trainer.test({ data });
    else tf.dispose((await trainer.predict({ data: { xs: data.xs } })) as tf.Tensor);
  };

  test('NaN in a layer is warned of without being asked what trouble is', async () => {
    const nan = tf.scalar(Number.NaN);
    const hook = activations({
      ...{ every: 1, monitor: false, stages: [stage], debug: '**', enableIntervention: true },
      interventions: [['second', ({ output }) => tf.mul(output, nan)]],
    });
    const run = await train([hook]);
    expect(run.spoken('warn')).toEqual([]);
    const heard: string[] = [];
    hook.taps.registerDebugHook('out', { onFinding: ({ message }) => void heard.push(message) });
    await work(run);
    expect(heard).toEqual(['The output of "out" has 4 of 4 values that are NaN or infinite.']);
    expect(run.spoken('warn')).toEqual([
      'The output of "second" has 12 of 12 values that are NaN or infinite. 2 more were found in the same batch.',
    ]);
  });

  test('an error of an observer is reported', async () => {
    const hook = activations({
      ...{ every: 1, monitor: false, stages: [stage], debug: 'out' },
      conditions: {
        custom: () => {
          throw new Error('boom');
        },
      },
    });
    const run = await train([hook]);
    await work(run);
    expect(run.spoken('error')[0]).toContain('boom');
  });
});
