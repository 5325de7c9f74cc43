import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  regression,
  regressor,
  someOf,
  TEST_BACKEND,
} from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { FitOptions, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(20), epochs: 4, batchSize: 4 }; // 5 batches

/** One checkpoint, after the third batch of the second epoch. */
class Memory implements Hook {
  readonly name = 'memory';
  saved: Snapshot | undefined;

  setup(ctx: HookContext): void {
    ctx.provideCheckpoints({
      find: async () => ({ path: 'the/checkpoint' }),
      load: async () => this.saved!,
      save: async () => {},
    });
  }

  async onTrainBatchEnd(ctx: HookContext, { batchIndex }: { batchIndex: number }): Promise<void> {
    if (this.saved || ctx.state.epoch !== 1 || batchIndex !== 2) return;
    const snapshot = await ctx.snapshot();
    this.saved = { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
  }
}

const OPTIONS: Partial<TrainerOptions> = {
  optimizer: { name: 'sgd', lr: 0.1, momentum: 0.9, weightDecay: 0.01 },
  schedule: { name: 'exponential', gamma: 0.9 },
  accumulate: 1,
};

interface Seen {
  lr: number;
  momentum: number | undefined;
  seed: number;
  step: number;
  batch: number;
}

async function run(memory: Memory, options: Partial<TrainerOptions> = {}, fit: Partial<FitOptions> = {}) {
  const seen: Seen[] = [];
  const watch: Hook = {
    name: 'watch',
    onStepStart: ({ state, run: { seed } }) => {
      const { lr, momentum } = state.optimizers[0]!.groups[0]!;
      seen.push({ lr, momentum, seed, step: state.step, batch: state.batchIndex });
    },
  };
  const logger = collectingLogger();
  const trainer = quietTrainer({
    model: regressor(),
    ...OPTIONS,
    logger,
    ...options,
    hooks: [memory, watch],
  });
  const result = await trainer.fit({ ...FIT, ...fit });
  return { seen, result, logger };
}

async function saved(): Promise<Memory> {
  const memory = new Memory();
  await run(memory, {}, { epochs: 2 });
  return memory;
}

describe('a setting that contradicts the checkpoint is refused with both values', () => {
  const sgd = { name: 'sgd', lr: 0.1, momentum: 0.9, weightDecay: 0.01 } as const;
  const contradictions: readonly (readonly [string, Partial<TrainerOptions>, string])[] = [
    ['lr', { optimizer: { ...sgd, lr: 0.5 } }, 'lr: saved 0.1, given 0.5'],
    ['momentum', { optimizer: { ...sgd, momentum: 0.5 } }, 'momentum: saved 0.9, given 0.5'],
    ['weightDecay', { optimizer: { ...sgd, weightDecay: 0 } }, 'weightDecay: saved 0.01, given 0'],
    ['optimizer', { optimizer: { ...sgd, nesterov: true } }, 'optimizer: saved [{"name":"sgd"}], given'],
    ['schedule', { schedule: { name: 'exponential', gamma: 0.5 } }, '"gamma":0.5'],
    ['accumulate', { accumulate: 2 }, 'accumulate: saved 1, given 2'],
    ['clip', { clip: { globalNorm: 1 } }, 'clip: saved null, given {"globalNorm":1}'],
    ['loss', { loss: 'meanAbsoluteError' }, 'loss: saved "meanSquaredError", given "meanAbsoluteError"'],
    ['seed', { seed: 2 }, 'seed: saved 1, given 2'],
  ];
  test.each(someOf(contradictions, 3))('%s', async (setting, options, text) => {
    const memory = await saved();
    const error = await errorOf(run(memory, options, { resume: 'the/checkpoint' }));
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toContain(text);
    expect(error.message).toContain(`override: ['${setting}']`);
    const { result, logger } = await run(memory, options, {
      resume: 'the/checkpoint',
      override: [setting as 'lr'],
    });
    expect(result.status).toBe('completed');
    expect(logger.lines.some(({ message }) => message.includes(`with ${setting} as given now`))).toBe(true);
  });

  test('all of them in one error, and nothing has changed by then', async () => {
    const memory = await saved();
    const model = regressor();
    const before = model.getWeights().map((weight) => [...weight.dataSync()]);
    const optimizer = { ...sgd, lr: 0.5, momentum: 0.5 };
    const error = await errorOf(run(memory, { model, optimizer }, { resume: 'the/checkpoint' }));
    expect(error.message).toContain('lr: saved 0.1');
    expect(error.message).toContain("override: ['lr', 'momentum']");
    expect(model.getWeights().map((weight) => [...weight.dataSync()])).toEqual(before);
  });

  test('the same in other words is not a contradiction', async () => {
    const memory = await saved();
    const { result } = await run(memory, { optimizer: [sgd] }, { resume: 'the/checkpoint' });
    expect(result.steps).toBe(12);
  });
});

describe('override means it', () => {
  test('lr: the schedule continues from the given rate', async () => {
    const memory = await saved();
    const optimizer = { name: 'sgd', lr: 0.5, momentum: 0.9, weightDecay: 0.01 } as const;
    const { seen } = await run(memory, { optimizer }, { resume: 'x', override: ['lr'] });
    expect(seen[0]!.lr).toBeCloseTo(0.5 * 0.9 ** 8, 12);
    expect(seen[0]).toMatchObject({ momentum: 0.9, step: 8, batch: 3 });
  });

  test('schedule: none any more leaves the configured rate', async () => {
    const memory = await saved();
    const schedule = { name: 'constant' } as const;
    const { seen } = await run(memory, { schedule }, { resume: 'x', override: true });
    expect(seen[0]!.lr).toBe(0.1);
  });

  test('seed: the order is another one, so the epoch starts over', async () => {
    const memory = await saved();
    const { seen } = await run(memory, { seed: 2 }, { resume: 'x', override: ['seed'] });
    expect(seen[0]).toMatchObject({ seed: 2, step: 8, batch: 0 });
  });

  test('a name that is not a setting is an error, and so is override without resume', async () => {
    const memory = await saved();
    const error = await errorOf(run(memory, {}, { resume: 'x', override: ['lrr' as 'lr'] }));
    expect(error.message).toContain('Did you mean "lr"');
    expect((await errorOf(run(memory, {}, { override: ['lr'] }))).code).toBe('BAD_OPTIONS');
  });
});

describe('what decides which batches are trained on is compared, too', () => {
  test.each<[string, Partial<FitOptions>]>([
    ['limitTrainBatches', { limitTrainBatches: 4 }],
    ['overfitBatches', { overfitBatches: 4 }],
  ])('%s', async (setting, fit) => {
    const memory = await saved();
    const error = await errorOf(run(memory, {}, { ...fit, resume: 'x' }));
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toContain(`${setting}: saved null, given 4`);
    const { result } = await run(memory, {}, { ...fit, resume: 'x', override: true });
    expect(result.status).toBe('completed');
  });
});

describe('a model with the same weights that computes something else', () => {
  const dense = (activation: 'tanh' | 'relu', dropout = 0) => {
    const { layers, sequential } = tfl;
    return sequential({
      layers: [
        layers.dense({ units: 4, activation, inputShape: [3] }),
        ...(dropout > 0 ? [layers.dropout({ rate: dropout })] : []),
        layers.dense({ units: 1 }),
      ],
    });
  };

  async function resumed(from: tfl.LayersModel, to: tfl.LayersModel, fit: Partial<FitOptions> = {}) {
    const memory = new Memory();
    await run(memory, { model: from }, { epochs: 2 });
    return run(memory, { model: to }, { resume: 'x', ...fit });
  }

  test('is refused with what differs', async () => {
    const error = await errorOf(resumed(dense('tanh'), dense('relu')));
    expect(error.code).toBe('CHECKPOINT_MISMATCH');
    expect(error.message).toMatch(/model of .*dense.*"activation":"tanh".*"activation":"relu"/);
    expect(error.message).toContain("override: ['model']");
    const rate = await errorOf(resumed(dense('tanh', 0.1), dense('tanh', 0.5)));
    expect(rate.message).toMatch(/"rate":0.1.*"rate":0.5/);
    const layer = await errorOf(resumed(dense('tanh'), dense('tanh', 0.5)));
    expect(layer.message).toContain('saved "Dense, Dense", given "Dense, Dropout, Dense"');
  });

  test('is meant with override: what was measured with the other one is not taken over', async () => {
    const { result } = await resumed(dense('tanh'), dense('relu'), { override: ['model'] });
    expect(result.status).toBe('completed');
    expect(result.history).toHaveLength(3);
  });

  test('the same model in a new process, with other names of layers, is the same', async () => {
    const { seen } = await resumed(dense('tanh', 0.5), dense('tanh', 0.5));
    expect(seen[0]).toMatchObject({ step: 8, batch: 3 });
  });
});

describe('validation on other samples', () => {
  const warned = async (validation: FitOptions['validation'], fit: Partial<FitOptions> = {}) => {
    const memory = new Memory();
    await run(memory, {}, { epochs: 2, validation: regression(8, 2) });
    const { logger, result } = await run(
      memory,
      {},
      { resume: 'x', ...fit, ...(validation && { validation }) },
    );
    expect(result.status).toBe('completed');
    return logger.lines.filter(({ message }) => message.includes('validation data differs from that of'));
  };

  test('continues with a warning, as best and what hooks have judged are of the others', async () => {
    expect(await warned(regression(8, 3))).toMatchObject([{ level: 'warn' }]);
    expect(await warned(regression(6, 2))).toHaveLength(1);
    expect(await warned(regression(8, 2), { limitValBatches: 1 })).toHaveLength(1);
  });

  test('is none when only the size of the batches is another', async () => {
    expect(await warned(regression(8, 2))).toEqual([]);
    expect(await warned(regression(8, 2), { batchSize: 2, override: ['data'] })).toEqual([]);
  });
});

test('resuming on another backend continues, and says that the bits will differ', async () => {
  const memory = new Memory();
  await run(memory, {}, { epochs: 2 });
  const logger = collectingLogger();
  const state = memory.saved!.state!;
  memory.saved = { ...memory.saved!, state: { ...state, settings: { ...state.settings, backend: 'other' } } };
  await run(memory, { logger }, { resume: 'x' });
  const said = logger.lines.filter(({ message }) => message.includes('made on another backend'));
  expect(said).toHaveLength(1);
  expect(said[0]!.message).toContain(`(saved "other", given "${TEST_BACKEND}")`);
  expect(said[0]!.message).toContain('not to the same bits');
});

test('a checkpoint of before there were settings and fingerprints is resumed as ever', async () => {
  const memory = await saved();
  const { settings, loaders, ...state } = memory.saved!.state!;
  expect(Object.keys(settings!)).toContain('lr');
  const feed = structuredClone(loaders) as { loaders: { order: Record<string, unknown> }[] };
  delete feed.loaders[0]!.order.data;
  memory.saved = { ...memory.saved!, state: { ...state, loaders: feed as never } };
  const { seen } = await run(memory, {}, { resume: 'x' });
  expect(seen[0]).toMatchObject({ step: 8, batch: 3 });
});
