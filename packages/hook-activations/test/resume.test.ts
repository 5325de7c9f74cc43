import type { Hook, HostTensor, Snapshot } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { type ActivationsOptions, ablate, activations } from '../src/index.js';
import { type Training, train } from './training.js';

/** A run that is interrupted after some steps, and the run that continues it. */
async function interrupted(
  afterSteps: number,
  options: () => ActivationsOptions,
): Promise<{ whole: Training; resumed: Training }> {
  let snapshot: Snapshot | undefined;
  const saver: Hook = {
    name: 'saver',
    async onTrainBatchEnd(ctx) {
      if (ctx.state.step === afterSteps) snapshot = await ctx.snapshot();
    },
  };
  const loader: Hook = {
    name: 'loader',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => ({ path: 'memory' }),
        load: async () => copyOf(snapshot!),
        save: async () => {},
      }),
  };
  const whole = await train([saver, activations(options())]);
  const resumed = await train([loader, activations(options())], 'layers', { fit: { resume: 'auto' } });
  return { whole, resumed };
}

test('a resumed run looks at the steps that an uninterrupted one looks at, and sees the same', async () => {
  const { whole, resumed } = await interrupted(2, () => ({ every: 3, metrics: ['mean', 'norm', 'dead'] }));
  expect(whole.series.map(({ step }) => step)).toEqual([1, 3, 6]);
  expect(resumed.series).toEqual(whole.series.slice(1));
});

test('captured states are not part of a checkpoint', async () => {
  const hook = activations({ every: 1, monitor: false, capture: 'out' });
  let snapshot: Snapshot | undefined;
  const saver: Hook = {
    name: 'saver',
    async onStepEnd(ctx, { step }) {
      if (step === 4) snapshot = await ctx.snapshot();
    },
  };
  await train([saver, hook]);
  expect(Object.keys(snapshot!.hooks ?? {})).toEqual([]);
  expect(hook.taps.capturedBytes).toBeGreaterThan(0);
  expect(JSON.stringify(snapshot!.state!.hooks)).not.toContain('out');
});

test('interventions act on after a resume: the weights at the end are the same to the bit', async () => {
  const { whole, resumed } = await interrupted(3, () => ({
    every: 100,
    monitor: false,
    enableIntervention: true,
    interventions: [ablate('second', 'mean', { at: { axis: 1, index: 0 } })],
  }));
  expect(resumed.weights).toEqual(whole.weights);
  expect(resumed.said.map(({ message }) => message)).toEqual([
    'Intervention "intervention_1" changes what the model computes.',
  ]);
});

test('a second fit of the same hook starts with empty records and keeps what was captured', async () => {
  const hook = activations({
    every: 3,
    capture: 'out',
    debug: 'out',
    conditions: { custom: () => 'is there' },
  });
  await train([hook]);
  const states = hook.taps.getCapturedStates('capture');
  await train([hook]);
  expect(hook.taps.getMetrics('monitor')).toHaveLength(3 * 3);
  expect(hook.taps.getFindings('debug')).toHaveLength(3);
  expect(hook.taps.getCapturedStates('capture').slice(0, states.length)).toEqual(states);
  expect(hook.taps.getCapturedStates('capture')).toHaveLength(2 * states.length);
});

/** By value, as a checkpoint on disk would give it. */
function copyOf(snapshot: Snapshot): Snapshot {
  const copied = (tensors: Record<string, HostTensor> = {}) =>
    Object.fromEntries(
      Object.entries(tensors).map(([name, each]) => [name, { ...each, data: each.data.slice() }]),
    ) as Record<string, HostTensor>;
  const { model, optimizer, partial, hooks, state } = snapshot;
  return {
    ...snapshot,
    model: copied(model),
    optimizer: copied(optimizer),
    partial: copied(partial),
    hooks: copied(hooks),
    state: structuredClone(state!),
  };
}
