import type { Hook } from '@hookline/hook-api';
import { type Histogram, histogramsSince } from '@hookline/hook-api/helpers';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { activations, runWithCache } from '../src/index.js';
import { mlp, numbers } from './models.js';
import { onDevice } from './pretend-device.js';
import { train } from './training.js';

describe('monitoring', () => {
  test('logs the metrics of every layer at the first step and at every so many', async () => {
    const { series } = await train([activations({ every: 3, metrics: ['mean', 'dead'] })]);
    expect(series.map(({ step }) => step)).toEqual([1, 3, 6]);
    for (const { values } of series) {
      expect(Object.keys(values)).toEqual(
        ['first', 'second', 'out'].flatMap((path) => [`act/${path}/mean`, `act/${path}/dead`]),
      );
    }
  });

  test('without options looks at the first step and at the hundredth, four metrics for each layer', async () => {
    const { series } = await train([activations()], 'layers', { fit: { epochs: 34 } });
    expect(series.map(({ step }) => step)).toEqual([1, 100]);
    const metrics = ['mean', 'std', 'norm', 'sparsity'];
    expect(Object.keys(series[1]!.values)).toEqual(
      ['first', 'second', 'out'].flatMap((path) => metrics.map((metric) => `act/${path}/${metric}`)),
    );
  });

  test('logs what the layer computed in that step', async () => {
    const { series, xs } = await train([
      activations({ every: 1, metrics: ['mean', 'norm'], monitor: 'first' }),
    ]);
    const { cache } = runWithCache(mlp(), tf.slice(xs, 0, 4), 'first');
    expect(series).toHaveLength(6);
    expect(series[0]!.values['act/first/mean']).toBeCloseTo(numbers(tf.mean(cache.tensor('first')))[0]!, 6);
    expect(series[0]!.values['act/first/norm']).toBeCloseTo(numbers(tf.norm(cache.tensor('first')))[0]!, 5);
  });

  test('measures gradients and times, and leaves histograms for loggers', async () => {
    let histograms: readonly Histogram[] = [];
    const taker: Hook = {
      name: 'taker',
      teardown({ shared }) {
        histograms = histogramsSince(shared, 0).items;
      },
    };
    const hook = activations({ every: 2, metrics: ['gradient', 'time', 'bytes', 'histogram'] });
    const { series } = await train([hook, taker]);
    expect(series[0]!.values['act/out/bytes']).toBe(16);
    for (const path of ['first', 'second', 'out']) {
      expect(series[0]!.values[`act/${path}/gradient`]).toBeGreaterThan(0);
      expect(series[0]!.values[`act/${path}/time`]).toBeGreaterThan(0);
    }
    expect(histograms.map(({ name, step }) => `${step} ${name}`)).toEqual(
      [1, 2, 4, 6].flatMap((step) =>
        ['first', 'second', 'out'].map((path) => `${step} act/${path}/histogram`),
      ),
    );
  });

  test('names a filter that matches nothing: before the run begins, or when a module has run once', async () => {
    await expect(train([activations({ monitor: 'frst' })])).rejects.toThrow('Nearest: first');
    await expect(train([activations({ monitor: 'embd' })], 'raw ops')).rejects.toThrow('Nearest: embed');
  });

  test('does without when nobody asked for it and a module names no points', async () => {
    const scale = tf.variable(tf.scalar(1));
    const model = () => ({
      parameters: () => ({ scale }),
      forward: (xs: never) => tf.mul(tf.sum(xs as tf.Tensor, 1, true), scale),
    });
    const { result, series } = await train([activations()], 'layers', { model });
    expect([result.status, series]).toEqual(['completed', []]);
    await expect(train([activations({ monitor: '**' })], 'layers', { model })).rejects.toThrow(
      'no point to tap',
    );
  });

  test('reads the device once for each step it looks at', async () => {
    await onDevice(async (reads) => {
      const count = async (hooks: Hook[]) => {
        const before = reads();
        await train(hooks, 'layers', { backend: 'pretend' } as never);
        return reads() - before;
      };
      const plain = await count([]);
      expect((await count([activations({ every: 2 })])) - plain).toBe(4);
    });
  });
});

describe('capturing', () => {
  test('keeps the states of the steps it looks at, for whoever holds the hook', async () => {
    const hook = activations({ every: 3, monitor: false, capture: ['first', 'out'] });
    const { series } = await train([hook], 'layers', { validation: true });
    const states = hook.taps.getCapturedStates('capture');
    expect(states.map(({ path, step, training }) => `${step} ${path} ${training}`)).toEqual([
      '0 first true',
      '0 out true',
      '2 first true',
      '2 out true',
      '5 first true',
      '5 out true',
    ]);
    expect(states[0]!.inputs).toEqual([]);
    expect(states[0]!.outputs[0]!.shape).toEqual([4, 4]);
    expect(series).toEqual([]);
  });

  test('keeps inputs in place of outputs, or statistics of both, when asked', async () => {
    const base = { every: 6, monitor: false, capture: 'second', captureInput: true } as const;
    const inputs = activations({ ...base, captureOutput: false });
    const statistics = activations({ ...base, store: 'statistics' });
    Object.defineProperty(statistics, 'name', { value: 'statistics' });
    await train([inputs, statistics]);
    const [first] = inputs.taps.getCapturedStates('capture');
    const [summary] = statistics.taps.getCapturedStates('capture');
    expect([first!.inputs[0]!.shape, first!.outputs, first!.statistics]).toEqual([[4, 4], [], undefined]);
    expect([summary!.inputs, summary!.outputs]).toEqual([[], []]);
    const [of] = summary!.statistics!.inputs;
    expect(of!.max).toBe(Math.max(...first!.inputs[0]!.data));
  });

  test('takes other stages when it is told to', async () => {
    const hook = activations({ every: 2, monitor: false, capture: 'out', stages: ['validation', 'predict'] });
    const { trainer } = await train([hook], 'layers', { validation: true });
    const seen = () =>
      hook.taps.getCapturedStates('capture').map(({ step, training }) => `${step} ${training}`);
    // Batches 0 and 2 of each validation.
    expect(seen()).toEqual(['3 false', '3 false', '6 false', '6 false']);
    hook.taps.clearCapturedStates();
    tf.dispose(
      (await trainer.predict({ data: { xs: tf.ones([4, 3]) }, batchSize: 2 } as never)) as tf.Tensor,
    );
    expect(seen().length).toBeGreaterThan(0);
  });

  test('works with hooks registered on the manager, before the run and in the middle of it', async () => {
    const hook = activations({ every: 1, monitor: false });
    hook.taps.registerCaptureHook('second', { id: 'mine' });
    const late: Hook = {
      name: 'late',
      onStepEnd({ state }) {
        if (state.step === 3) hook.taps.registerCaptureHook('out', { id: 'late' });
        if (state.step === 3) hook.taps.removeHook('mine');
      },
    };
    await train([late, hook]);
    expect(hook.taps.listHooks().map(({ id }) => id)).toEqual(['late']);
    expect(hook.taps.getCapturedStates('late').map(({ step }) => step)).toEqual([3, 4, 5]);
  });

  test('sees nothing of passes that are not of the batch', async () => {
    const hook = activations({ every: 1, monitor: false, capture: 'out' });
    const runner: Hook = {
      name: 'runner',
      onStepEnd({ state }) {
        tf.dispose((state.model as ReturnType<typeof mlp>).predict(tf.ones([1, 3])));
      },
    };
    await train([runner, hook]);
    expect(hook.taps.getCapturedStates('capture')).toHaveLength(6);
  });
});

describe('debugging', () => {
  test('warns once of a layer in trouble, and again when it comes back', async () => {
    let isBad = false;
    const hook = activations({
      every: 1,
      monitor: false,
      debug: 'first',
      conditions: { custom: () => isBad && 'is bad' },
    });
    const switching: Hook = {
      name: 'switching',
      onStepStart: (_ctx, { step }) => {
        isBad = [1, 2, 4].includes(step);
      },
    };
    const { said } = await train([switching, hook]);
    expect(said.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'The output of "first" is bad.',
      'The output of "first" is bad.',
    ]);
  });

  test('can end the run', async () => {
    const hook = activations({ every: 1, debug: 'first', conditions: { range: [0, 1e-6] }, action: 'throw' });
    await expect(train([hook])).rejects.toMatchObject({ code: 'DEBUG_CONDITION' });
  });
});

test('options are checked, with the nearest name', () => {
  expect(() => activations({ evry: 3 } as never)).toThrow('unknown option "evry". Did you mean "every"?');
  expect(() => activations({ metrics: ['median'] as never })).toThrow('"metrics" must be a list of mean');
  expect(() => activations({ stages: ['training'] as never })).toThrow('a list of train, validation');
  expect(() => activations({ monitor: true as never })).toThrow('"monitor" must be a path');
});
