import type { Hook, Snapshot } from '@hookline/hook-api';
import { collectingLogger, errorOf } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { alone, expectClose, together } from '../support/together.js';

describe('resume', () => {
  /** Keeps checkpoints in memory; only the main rank has any. */
  const memory = (saved: Map<string, Snapshot>): Hook => ({
    name: 'memory',
    ranks: 'main',
    setup(ctx) {
      ctx.provideCheckpoints({
        find: async () => (saved.size > 0 ? { path: [...saved.keys()].at(-1)! } : undefined),
        load: async ({ path }) => saved.get(path)!,
        save: async (reason) => {
          const snapshot = await ctx.snapshot({ checkpoint: { reason, path: reason } });
          saved.set(reason, { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) });
        },
      });
    },
  });
  const leaveAt = (step: number): Hook => ({
    name: 'leave',
    onStepEnd(ctx, event) {
      if (event.step !== step) return;
      ctx.requestCheckpoint('left');
      ctx.stop('left');
    },
  });
  const dropping = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 6, inputShape: [3], activation: 'tanh' }),
        tfl.layers.batchNormalization(),
        tfl.layers.dropout({ rate: 0.3 }),
        tfl.layers.dense({ units: 1 }),
      ],
    });

  for (const [step, accumulate] of [
    [2, 1],
    [4, 1],
    [3, 2],
  ] as const) {
    test(`two ranks stopped after step ${step} end with the bits of a run that was not (accumulate ${accumulate})`, async () => {
      const options = { model: dropping, accumulate };
      const whole = await together(2, { ...options, hooks: [memory(new Map()), { name: 'leave' }] });
      const saved = new Map<string, Snapshot>();
      await together(2, () => ({ ...options, hooks: [memory(saved), leaveAt(step)] }));
      expect(saved.size).toBe(1);
      const resumed = await together(2, () => ({ ...options, hooks: [memory(saved), { name: 'leave' }] }), {
        resume: 'auto',
      });
      for (const [rank, { weights, result }] of resumed.entries()) {
        expect(weights).toEqual(whole[rank]!.weights);
        expect(result.metrics).toEqual(whole[rank]!.result.metrics);
      }
    });
  }

  test('a run of two ranks is continued by one, by three and by four: no sample is lost or seen twice', async () => {
    const saved = new Map<string, Snapshot>();
    const whole = await alone({ hooks: [memory(new Map()), { name: 'leave' }] });
    await together(2, () => ({ hooks: [memory(saved), leaveAt(4)] }));
    const hooks = () => ({ hooks: [memory(new Map(saved)), { name: 'leave' }] });
    const one = await alone(hooks(), { resume: 'auto' });
    expectClose(one.weights, whole.weights);
    for (const world of [3, 4]) {
      const ranks = await together(world, hooks, { resume: 'auto' });
      expectClose(ranks[0]!.weights, whole.weights);
      expect(ranks.at(-1)!.weights).toEqual(ranks[0]!.weights);
    }
  });

  test('where only rounding changes, the run is told that its bits are others', async () => {
    const saved = new Map<string, Snapshot>();
    await together(2, () => ({ hooks: [memory(saved), leaveAt(4)] }));
    const logger = collectingLogger();
    await alone({ hooks: [memory(saved), { name: 'leave' }], logger }, { resume: 'auto' });
    expect(logger.lines.map(({ message }) => message).join('\n')).toMatch(
      /saved by another number of processes \(processes: saved 2, given 1\): .*rounded in another order/,
    );
  });

  test('layers that differ between processes are not continued by another number of them, unless that is meant', async () => {
    const saved = new Map<string, Snapshot>();
    await together(2, () => ({ model: dropping, hooks: [memory(saved), leaveAt(4)] }));
    const options = () => ({ model: dropping, hooks: [memory(new Map(saved)), { name: 'leave' }] });
    const error = await errorOf(together(3, options, { resume: 'auto' }));
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toContain('processes: saved 2, given 3');
    expect(error.message).toContain("override: ['processes']");
    const meant = await together(3, options, { resume: 'auto', override: ['processes'] });
    expect(meant[0]!.result.status).toBe('completed');
    for (const { weights } of meant) expect(weights).toEqual(meant[0]!.weights);
  });
});
