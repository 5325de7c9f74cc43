import type { Hook, HookContext, Snapshot } from '@hookline/hook-api';
import { collectingLogger, errorOf, regressor, someOf, tempFolder } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import {
  combine,
  csv,
  type Data,
  DataLoader,
  type FitOptions,
  type TrainerOptions,
} from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const table = (count: number) => ({
  xs: Array.from({ length: count }, (_, i) => [i, 0, 0]),
  ys: Array.from({ length: count }, () => [0]),
});

/** Keeps the last checkpoint, as text where a file would be. */
class Memory implements Hook {
  readonly name = 'memory';
  saved: Snapshot | undefined;

  setup(ctx: HookContext): void {
    ctx.provideCheckpoints({
      find: async () => (this.saved ? { path: 'memory' } : undefined),
      load: async () => this.saved!,
      save: async () => {
        const snapshot = await ctx.snapshot();
        this.saved = { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
      },
    });
  }
}

/** The samples that were trained on, as `loader:number`, by epoch. */
async function run(
  train: Data,
  hooks: Hook[],
  fit: Partial<FitOptions> = {},
  options: Partial<TrainerOptions> = {},
): Promise<string[]> {
  const seen: string[] = [];
  const watch: Hook = {
    name: 'watch',
    onTrainBatchStart: (ctx, { loaderName, batch }) => {
      const rows = (batch.xs as tf.Tensor).arraySync() as number[][];
      seen.push(...rows.map(([number]) => `${ctx.state.epoch} ${loaderName}:${number}`));
    },
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [...hooks, watch], ...options });
  await trainer.fit({ train, epochs: 3, batchSize: 2, ...fit });
  return seen;
}

/** Saves after the given batch of the second epoch, and leaves. */
const leaveAt = (batch: number): Hook => ({
  name: 'leave',
  onTrainBatchEnd: (ctx, { batchIndex }) => {
    if (ctx.state.epoch !== 1 || batchIndex !== batch) return;
    ctx.requestCheckpoint('leaving');
    ctx.stop('leaving');
  },
});

const csvFile = () => {
  const rows = Array.from({ length: 11 }, (_, i) => `${i},0,0,0`).join('\n');
  return `${tempFolder({ 'data.csv': `a,b,c,y\n${rows}\n` })}/data.csv`;
};

const samples = Array.from({ length: 11 }, (_, i) => ({ xs: [i, 0, 0], ys: [0] }));

const kinds: [string, () => Data][] = [
  ['a table', () => table(11)],
  ['samples by number', () => new DataLoader(samples, { samples: true })],
  [
    'batches in an array, shuffled',
    () =>
      new DataLoader(
        samples.map(({ xs, ys }) => ({ xs: [xs], ys: [ys] })),
        { shuffle: true },
      ),
  ],
  [
    'a stream of samples, shuffled',
    () => new DataLoader(() => samples.values(), { samples: true, shuffle: true, shuffleBuffer: 4 }),
  ],
  [
    'a stream of batches',
    () =>
      async function* () {
        for (const { xs, ys } of samples) yield { xs: [xs], ys: [ys] };
      },
  ],
  [
    'a shuffled CSV file',
    () => {
      const path = csvFile();
      return new DataLoader(csv(path, { labels: 'y' }), { shuffle: true, shuffleBuffer: 3 });
    },
  ],
  [
    'a loader written by hand that cannot seek',
    () => ({
      name: 'own',
      batches: 11,
      owned: true,
      epoch: (epoch: number) =>
        samples.map(({ ys }, i) => ({ xs: [[(i + epoch) % 11, 0, 0]], ys: [ys] }) as never),
    }),
  ],
  [
    'several, loader after loader',
    () => ({
      one: table(3),
      two: new DataLoader(() => samples.values(), { samples: true }),
      three: table(5),
    }),
  ],
  [
    'several in turn, the short ones restarted',
    () =>
      combine(
        { one: table(3), two: table(12), three: table(5) },
        { strategy: 'roundRobin', whenExhausted: 'restart' },
      ),
  ],
  [
    'several by a pattern, going on without the short ones',
    () =>
      combine({ one: table(3), two: table(12) }, { strategy: 'alternating', pattern: ['one', 'two', 'two'] }),
  ],
  [
    'several by weights',
    () =>
      combine(
        { one: table(4), two: table(12) },
        { strategy: 'weighted', weights: { one: 2 }, whenExhausted: 'restart' },
      ),
  ],
];

/** A loader of plain arrays needs its batches made into tensors. */
function asTensors(data: Data): Data {
  const own = data as { epoch?: (epoch: number) => Iterable<object>; name?: string };
  if (typeof own.epoch !== 'function') return data;
  const given = own.epoch;
  return {
    name: 'own',
    batches: 11,
    owned: true,
    epoch: (epoch: number) => new DataLoader([...given(epoch)] as never),
  } as never;
}

describe('a run that is resumed within an epoch continues with the very next sample', () => {
  test.each(someOf(kinds, 5))('%s', async (_name, make) => {
    const data = asTensors(make());
    const whole = await run(data, []);
    for (const batch of someOf([3, 0, 1, 4], 1)) {
      const memory = new Memory();
      const first = await run(data, [memory, leaveAt(batch)]);
      expect(first).toEqual(whole.slice(0, first.length));
      const second = await run(data, [memory], { resume: 'auto' }, { seed: undefined } as object);
      expect([...first, ...second], `left after batch ${batch}`).toEqual(whole);
    }
  });
});

test('a loader that can jump is asked for nothing that was seen; others say once that they read again', async () => {
  const asked: number[] = [];
  const source = {
    length: 11,
    at: (index: number) => {
      asked.push(index);
      return samples[index]!;
    },
  };
  const jumping = new DataLoader(source, { samples: true, shuffle: false, prefetch: 0 });
  const memory = new Memory();
  await run(jumping, [memory, leaveAt(2)]);
  asked.length = 0;
  const logger = collectingLogger();
  await run(jumping, [memory], { resume: 'auto', epochs: 2 }, { logger });
  expect(asked).toEqual([6, 7, 8, 9, 10]);
  expect(logger.lines.some(({ message }) => message.includes('cannot jump'))).toBe(false);

  const stream = new DataLoader(() => samples.values(), { samples: true });
  const other = new Memory();
  await run(stream, [other, leaveAt(2)]);
  const said = collectingLogger();
  await run(stream, [other], { resume: 'auto', epochs: 4 }, { logger: said });
  const lines = said.lines.filter(({ message }) => message.includes('cannot jump'));
  expect(lines).toHaveLength(1);
  expect(lines[0]!.message).toContain(
    'Loader "train" cannot jump to its position: the 3 batches that were already seen',
  );
});

test('batches that are skipped at resume are not collated', async () => {
  let made = 0;
  const collate = (items: { xs: number[]; ys: number[] }[]) => {
    made++;
    return { xs: items.map(({ xs }) => xs), ys: items.map(({ ys }) => ys) };
  };
  const stream = new DataLoader(() => samples.values(), { collate });
  const memory = new Memory();
  await run(stream, [memory, leaveAt(3)]);
  made = 0;
  await run(stream, [memory], { resume: 'auto', epochs: 2 });
  expect(made).toBe(2); // batches 4 and 5 of 6
});

test('a step that is not finished continues with its next batch, with accumulation', async () => {
  const data = table(16); // 8 batches
  const options = { accumulate: 3 };
  const whole = await run(data, [], {}, options);
  const memory = new Memory();
  const take: Hook = {
    name: 'take',
    onTrainBatchEnd: async (ctx, { batchIndex }) => {
      if (ctx.state.epoch !== 1 || batchIndex !== 4 || memory.saved) return;
      memory.saved = await ctx.snapshot();
    },
  };
  await run(data, [memory, take], {}, options);
  const resumed = await run(data, [memory], { resume: 'auto' }, options);
  // Epoch 1 has steps of batches 0-2, 3-5 and 6-7: of the second one, batch 5 was left.
  expect(resumed).toEqual(whole.slice(16 + 5 * 2));
});

describe('data that has changed', () => {
  const saved = async (data: Data, fit: Partial<FitOptions> = {}) => {
    const memory = new Memory();
    await run(data, [memory, leaveAt(2)], fit);
    return memory;
  };

  test.each<[string, Data, Partial<FitOptions>, string]>([
    ['more samples', table(20), {}, 'samples of "train" was 11 and is 20'],
    ['another batch size', table(11), { batchSize: 4 }, 'batchSize of "train" was 2 and is 4'],
    ['no shuffle', table(11), { shuffle: false }, 'seed of "train"'],
    ['other loaders', { other: table(11) }, {}, 'loaders were train and are other'],
    ['other values', { ...table(11), ys: table(11).xs.map(([i]) => [i!]) }, {}, '"train" has other values'],
  ])(
    '%s: refused, or meant, and then the epoch starts over, and the log says why',
    async (_name, changed, fit, why) => {
      const memory = await saved(table(11));
      const refused = await errorOf(run(changed, [memory], { ...fit, resume: 'auto', epochs: 2 }));
      expect(refused.code).toBe('CHECKPOINT_MISMATCH');
      expect(refused.message).toContain(`data: ${why}`);
      expect(refused.message).toContain("override: ['data']");
      const logger = collectingLogger();
      const meant = { resume: 'auto', override: ['data'], epochs: 2 } as const;
      const resumed = await run(changed, [memory], { ...fit, ...meant }, { logger });
      expect(resumed.every((each) => each.startsWith('1 '))).toBe(true);
      const samplesNow = (changed as ReturnType<typeof table>).xs ?? table(11).xs;
      expect(new Set(resumed).size).toBe(samplesNow.length);
      const warning = logger.lines.find(({ message }) => message.includes('starts over'));
      expect(warning?.level).toBe('warn');
      expect(warning?.message).toContain(why);
      expect(warning?.message).toContain('epoch 2 starts over instead of continuing at batch 4');
    },
  );

  test('a different strategy is a change, too', async () => {
    const sources = { a: table(6), b: table(6) };
    const memory = await saved(combine(sources, { strategy: 'roundRobin' }));
    const logger = collectingLogger();
    await run(combine(sources), [memory], { resume: 'auto', override: true, epochs: 2 }, { logger });
    expect(logger.lines.some(({ message }) => message.includes('combined differently'))).toBe(true);
  });

  test('between epochs nothing needs to start over', async () => {
    const memory = new Memory();
    const leave: Hook = { name: 'leave', onEpochEnd: (ctx) => ctx.requestCheckpoint('epoch') };
    await run(table(11), [memory, leave], { epochs: 1 });
    const logger = collectingLogger();
    const meant = { resume: 'auto', override: ['data'], epochs: 2, batchSize: 5 } as const;
    const resumed = await run(table(20), [memory], meant, { logger });
    expect(resumed).toHaveLength(20);
    expect(logger.lines.some(({ message }) => message.includes('starts over'))).toBe(false);
  });
});

test('limitTrainBatches is kept when the last batch was already seen', async () => {
  const memory = new Memory();
  await run(table(11), [memory, leaveAt(2)], { limitTrainBatches: 3 });
  const resumed = await run(table(11), [memory], { resume: 'auto', limitTrainBatches: 3 });
  expect(resumed.filter((each) => each.startsWith('1 '))).toEqual([]);
  expect(resumed.filter((each) => each.startsWith('2 '))).toHaveLength(6);
});
