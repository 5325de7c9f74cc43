import { defineHook, type Hook, type HookContext, type Snapshot } from '@hookline/hook-api';
import { collectingLogger, errorOf, regression, tempFolder } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { alone, expectClose, together } from '../support/together.js';

describe('what one rank decides, all do', () => {
  /** A hook that does something on one rank only. */
  const on = (rank: number, hook: Partial<Hook>) => (each: number) => ({
    hooks: each === rank ? [{ name: 'one', ...hook }] : [{ name: 'one' }],
  });

  test('a batch that a hook of one rank skips is skipped by all', async () => {
    const skip = { onTrainBatchStart: (ctx: HookContext) => ctx.state.batchIndex === 1 && ctx.skipBatch() };
    const ranks = await together(2, on(1, skip as Partial<Hook>));
    const expected = await alone({ hooks: [{ name: 'one', ...(skip as Partial<Hook>) }] });
    expect(ranks[0]!.weights).toEqual(ranks[1]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a batch that one rank skips draws no random number on the others: one checkpoint holds the state of all', async () => {
    const dropping = () =>
      tfl.sequential({
        layers: [tfl.layers.dropout({ rate: 0.5, inputShape: [3] }), tfl.layers.dense({ units: 1 })],
      });
    const states: unknown[] = [];
    await together(2, (rank) => ({
      model: dropping,
      hooks: [
        {
          name: 'one',
          onTrainBatchStart: (ctx) => void (rank === 1 && ctx.state.batchIndex === 1 && ctx.skipBatch()),
          onTrainEnd: async (ctx) => {
            states[rank] = (await ctx.snapshot()).state!.random;
          },
        },
      ],
    }));
    expect(states[0]).toBeDefined();
    expect(states[1]).toEqual(states[0]);
  });

  test('an update that a hook of one rank skips is skipped by all', async () => {
    const skip: Partial<Hook> = {
      onBeforeOptimizerStep: (ctx, { step }) => {
        if (step % 2 === 1) ctx.skipStep();
      },
    };
    const ranks = await together(2, on(1, skip));
    const expected = await alone({ hooks: [{ name: 'one', ...skip }] });
    expect(ranks[0]!.weights).toEqual(ranks[1]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a stop on one rank stops all after the same step, for its reason', async () => {
    const stop: Partial<Hook> = { onStepEnd: (ctx, { step }) => void (step === 4 && ctx.stop('enough')) };
    const ranks = await together(3, on(2, stop));
    for (const { result, weights } of ranks) {
      expect(result).toMatchObject({ status: 'stopped', stopReason: 'enough' });
      expect(weights).toEqual(ranks[0]!.weights);
    }
    const expected = await alone({ hooks: [{ name: 'one', ...stop }] });
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a rate that a hook of the main rank changes changes on all', async () => {
    const slow: Partial<Hook> = {
      onStepEnd: ({ state }) => {
        state.optimizers[0]!.groups[0]!.lrScale = 0.5;
      },
    };
    const ranks = await together(2, on(0, slow));
    const expected = await alone({ hooks: [{ name: 'one', ...slow }] });
    expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });

  test('a validation that one rank asks for is done by all', async () => {
    let validations = 0;
    const ask: Partial<Hook> = {
      onStepEnd: (ctx, { step }) => void (step === 1 && ctx.requestValidation()),
      onValidationEnd: () => void validations++,
    };
    await together(2, on(1, ask));
    expect(validations).toBe(4); // one for each epoch, and the one that was asked for
  });

  test('a loss that is not a number on one rank is skipped by all', async () => {
    const xs = regression(10).xs.map((row, index) => (index === 1 ? [Number.NaN, 0, 0] : row));
    const fit = { train: { xs, ys: regression(10).ys }, shuffle: false };
    const ranks = await together(2, { nonFiniteLoss: 'skip' }, fit);
    const expected = await alone({ nonFiniteLoss: 'skip' }, fit);
    expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
    expectClose(ranks[0]!.weights, expected.weights);
  });
});

describe('hooks and ranks', () => {
  test('hooks that write run on the main rank, others on all, unless they say otherwise', async () => {
    const called: string[] = [];
    const hook = (name: string, more: Partial<Hook>) =>
      defineHook({
        name,
        onTrainEnd: ({ run }) => void called.push(`${name} ${run.rank}/${run.world}`),
        ...more,
      });
    await together(2, () => ({
      hooks: [
        hook('sees', {}),
        hook('writes', { writes: true }),
        hook('one', { ranks: 'main' }),
        hook('every', { writes: true, ranks: 'all' }),
      ],
    }));
    expect(called.sort()).toEqual([
      'every 0/2',
      'every 1/2',
      'one 0/2',
      'sees 0/2',
      'sees 1/2',
      'writes 0/2',
    ]);
  });

  test('weights that a hook of the main rank brings back in the end are those of all ranks', async () => {
    let first: Snapshot;
    let last: Snapshot;
    const restorer = defineHook({
      name: 'restorer',
      ranks: 'main',
      onEpochEnd: async (ctx, { epoch }) => {
        const snapshot = await ctx.snapshot({ include: 'model' });
        if (epoch === 0) first = snapshot;
        last = snapshot;
      },
      teardown: async (ctx) => void (await ctx.restore({ version: 1, model: first.model })),
    });
    const ranks = await together(2, () => ({ hooks: [restorer] }));
    const bytes = ({ model }: Snapshot) => JSON.stringify(Object.values(model).map(({ data }) => [...data]));
    expect(bytes(first!)).not.toBe(bytes(last!));
    expect(ranks[1]!.weights).toEqual(ranks[0]!.weights);
    const { weights } = await alone({}, { epochs: 1 });
    expectClose(ranks[1]!.weights, weights);
  });

  test('a hook that changes training cannot run on the main rank only', async () => {
    const hooks = [{ name: 'clipper', ranks: 'main' as const, transformGradients: () => undefined }];
    const error = await errorOf(together(2, { hooks }));
    expect(error.message).toContain('Hook "clipper" has transformGradients, which changes training');
  });

  test('ranks share the id of the run; only the main rank writes its folder and logs', async () => {
    const root = tempFolder({ 'package.json': { name: 'project' } });
    const loggers = [collectingLogger(), collectingLogger()];
    const seen: unknown[] = [];
    await together(2, (rank) => ({
      root,
      runsDir: undefined as never,
      logger: loggers[rank]!,
      hooks: [{ name: 'see', onTrainStart: ({ run }) => void seen.push([run.id, run.dir !== undefined]) }],
    }));
    const ids = seen.map((each) => (each as [string])[0]);
    expect(ids[0]).toBe(ids[1]);
    expect(seen.map((each) => (each as unknown[])[1]).sort()).toEqual([false, true]);
    expect(loggers[0]!.lines.length).toBeGreaterThan(0);
    expect(loggers[1]!.lines).toEqual([]);
  });
});
