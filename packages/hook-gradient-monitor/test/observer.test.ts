import type { Hook } from '@hookline/hook-api';
import { activeAccelerator, provideAccelerator } from '@hookline/numerics';
import { itOn, someOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { type GradientMonitorOptions, gradientMonitor } from '../src/index.js';
import { onDevice, samples, watchedRun } from './watched-run.js';

const EVERYTHING: GradientMonitorOptions = {
  every: 1,
  gradients: 'both',
  stats: ['min', 'max', 'mean', 'std', 'zeros', 'nonfinite', 'update-ratio'],
};
const WAYS: [string, 'cpu' | 'wasm', (hook: Hook) => Hook][] = [
  ['cpu', 'cpu', (hook) => hook],
  ['wasm', 'wasm', (hook) => hook],
  ['a device', 'cpu', onDevice],
];

/** How often each step of a run reads from the backend. */
async function readsPerStep(hooks: Hook[], backend: 'cpu' | 'wasm', steps: number): Promise<number[]> {
  const counts = Array<number>(steps).fill(0);
  let step = 0;
  const marker: Hook = {
    name: 'marker',
    onStepStart: (_ctx, event) => {
      step = event.step;
    },
  };
  const run = watchedRun([marker, ...hooks], { backend });
  await run.trainer.ready();
  const active = tf.backend();
  const { read, readSync } = active;
  active.readSync = (id) => {
    counts[step]!++;
    return readSync.call(active, id);
  };
  // Both backends answer it with readSync: together that is one read.
  active.read = async (id) => active.readSync(id);
  try {
    await run.fit({ train: samples(steps), batchSize: 1 });
  } finally {
    Object.assign(active, { read, readSync });
  }
  return counts;
}

/** What the hook adds to the reads of the trainer itself. */
async function addedReads(hook: Hook, backend: 'cpu' | 'wasm', steps: number): Promise<number[]> {
  const without = await readsPerStep([], backend, steps);
  return (await readsPerStep([hook], backend, steps)).map((count, step) => count - without[step]!);
}

describe('reads', () => {
  // Tensors of tfjs-node are of its own copy of tfjs, whose reads are not counted here.
  itOn('cpu')(
    'on a device all statistics of a step are one read, and a step that is not due has none',
    async () => {
      const hook = onDevice(gradientMonitor({ ...EVERYTHING, every: 3 }));
      expect(await addedReads(hook, 'cpu', 7)).toEqual([1, 0, 1, 0, 0, 1, 0]);
    },
  );

  test('on wasm its memory is looked at as it is, without a read', async () => {
    expect(await addedReads(gradientMonitor(EVERYTHING), 'wasm', 3)).toEqual([0, 0, 0]);
  });

  test('on wasm the accelerator is asked once for each gradient, and once for each pair of weights', async () => {
    const run = watchedRun([gradientMonitor({ ...EVERYTHING, gradients: 'raw' })], { backend: 'wasm' });
    await run.trainer.ready();
    const accelerator = activeAccelerator()!;
    const calls: string[] = [];
    const takeBack = provideAccelerator('wasm', {
      ...accelerator,
      statistics: (tensor) => {
        calls.push('statistics');
        return accelerator.statistics(tensor);
      },
      movement: (before, after) => {
        calls.push('movement');
        return accelerator.movement(before, after);
      },
    });
    try {
      await run.fit();
    } finally {
      takeBack();
    }
    expect(run.logs).toHaveLength(1);
    expect(calls).toEqual([...Array(4).fill('statistics'), ...Array(4).fill('movement')]);
  });

  test('on cpu a step that is not due has none either', async () => {
    const [first, ...rest] = await addedReads(gradientMonitor({ ...EVERYTHING, every: 10 }), 'cpu', 5);
    expect(first).toBeGreaterThan(0);
    expect(rest).toEqual([0, 0, 0, 0]);
  });
});

describe.each(someOf(WAYS, 1))('on %s', (_name, backend, way) => {
  test('training is the same to the bit with it and without', async () => {
    const outcome = async (...hooks: Hook[]) => {
      const run = watchedRun(hooks, { backend, optimizer: 'adam', clip: { globalNorm: 0.1 }, accumulate: 2 });
      const { history } = await run.fit({
        train: samples(40),
        batchSize: 2,
        epochs: 2,
        validation: samples(4),
      });
      return { history, weights: await run.weights() };
    };
    expect(await outcome(way(gradientMonitor(EVERYTHING)))).toEqual(await outcome());
  });

  test('forty steps keep no tensor', async () => {
    const run = watchedRun([way(gradientMonitor(EVERYTHING))], {
      backend,
      clip: { norm: 0.1 },
      accumulate: 2,
    });
    const [few, many] = [samples(4), samples(80)];
    await run.fit({ train: few, batchSize: 1 });
    const { numTensors } = tf.memory();
    await run.fit({ train: many, batchSize: 1 });
    expect(run.logs.at(-1)!.step).toBe(40);
    expect(tf.memory().numTensors).toBe(numTensors);
    expect(run.said.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a run that fails in the middle of a step leaves no tensor behind', async () => {
    let isFatal = false;
    const failing: Hook = {
      name: 'progress', // runs after the monitor
      onError: 'fail',
      onBeforeOptimizerStep: ({ state }) => {
        if (isFatal && state.step === 3) throw new Error('enough');
      },
    };
    const run = watchedRun([way(gradientMonitor(EVERYTHING)), failing], { backend });
    const train = samples(8);
    await run.fit({ train, batchSize: 1 });
    const { numTensors } = tf.memory();
    isFatal = true;
    await expect(run.fit({ train, batchSize: 1 })).rejects.toThrow('enough');
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});

test('when it cannot measure, training continues without it, and it says why', async () => {
  const run = watchedRun([gradientMonitor({ every: 1 })]);
  const breaker: Hook = {
    name: 'breaker',
    transformGradients: (_ctx, { gradients }) => {
      // What no tensor has: reading it fails wherever it is tried.
      Object.defineProperty(gradients['decoder/bias'], 'dtype', { value: 'broken', configurable: true });
      Object.defineProperty(gradients['decoder/bias'], 'dataSync', {
        value: () => {
          throw new Error('lost the device');
        },
      });
      return undefined;
    },
    onBeforeOptimizerStep: (_ctx, { gradients }) => {
      Object.defineProperty(gradients['decoder/bias'], 'dtype', { value: 'float32' });
    },
  };
  run.trainer.addHook(breaker);
  const { status } = await run.fit({ train: samples(6), batchSize: 1 });
  expect(status).toBe('completed');
  expect(run.logs).toEqual([]);
  expect(run.said.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
    ...[0, 1, 2].map(
      (step) => `Hook "gradient-monitor" failed in onGradientsReady at step ${step}: lost the device`,
    ),
    expect.stringContaining('Hook "gradient-monitor" is disabled'),
  ]);
});
