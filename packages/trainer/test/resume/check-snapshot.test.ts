import type { Hook, Snapshot } from '@hookline/hook-api';
import { errorOf, regression, regressor, someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(12), validation: regression(6, 2), epochs: 3, batchSize: 4 };

/** A trainer whose checkpoint is this snapshot. */
function trainer(snapshot: () => Snapshot, hooks: Hook[] = []) {
  const provider: Hook = {
    name: 'provider',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async (path) => ({ path }),
        load: async () => snapshot(),
        save: async () => {},
      }),
  };
  return quietTrainer({
    model: regressor(),
    optimizer: { name: 'adam', lr: 0.01 },
    schedule: { name: 'plateau', patience: 1 },
    hooks: [provider, ...hooks],
  });
}

/** In the middle of an epoch, with everything that a snapshot can hold. */
async function savedRun(): Promise<Snapshot> {
  let snapshot: Snapshot | undefined;
  const take: Hook = {
    name: 'take',
    onTrainBatchEnd: async (ctx, { batchIndex }) => {
      if (ctx.state.epoch === 1 && batchIndex === 1) snapshot = await ctx.snapshot();
    },
  };
  await trainer(() => snapshot!, [take]).fit(FIT);
  return { ...snapshot!, state: JSON.parse(JSON.stringify(snapshot!.state)) };
}

/** The snapshot with one value of its state replaced. */
function changed(snapshot: Snapshot, path: readonly string[], value: unknown): Snapshot {
  const copy = { ...snapshot, state: structuredClone(snapshot.state!) };
  let place = copy.state as unknown as Record<string, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>;
  place[path.at(-1)!] = value;
  return copy;
}

test.each([
  ['counters.next', 'lunch', 'counters.next is "lunch", expected one of batch, boundary'],
  ['counters.step', 'x', 'counters.step is "x", expected a whole number of at least 0'],
  ['counters.step', -1, 'counters.step is -1'],
  ['counters.completedEpochs', 1.5, 'counters.completedEpochs is 1.5'],
  ['counters.batchesDone', null, 'counters.batchesDone is null'],
  ['counters.elapsedSeconds', -3, 'counters.elapsedSeconds is -3'],
  ['seed', 'seven', 'seed is "seven"'],
  ['random', [1, 2, 3], 'random is [1,2,3], expected a list of 4'],
  ['random.2', 'x', 'random[2] is "x"'],
  ['optimizers.0.0.lr', '0.1', 'optimizers[0][0].lr is "0.1"'],
  ['schedules.since.step', {}, 'schedules.since.step is {}'],
  ['metrics', 'none', 'metrics is "none"'],
  ['numbers.best', 7, 'numbers.best is 7'],
  ['loaders.batch', -2, 'loaders.batch is -2'],
  ['loaders.loaders.0.done', 'no', 'loaders.loaders[0].done is "no"'],
  ['progress.epoch.losses', [[1]], 'progress.epoch.losses[0] is [1], expected a list of 2'],
  ['hooks', [], 'hooks is [], expected an object'],
])(
  'a saved state whose %s is %j is refused, and the error names the checkpoint and the field',
  async (path, value, message) => {
    const broken = changed(await savedRun(), path.split('.'), value);
    const error = await errorOf(trainer(() => broken).fit({ ...FIT, resume: 'runs/there' }));
    expect(error.code).toBe('BAD_CHECKPOINT');
    expect(error.message).toContain('runs/there');
    expect(error.message).toContain(message);
  },
);

test('totals that the state counts on and that are not among the tensors are an error, too', async () => {
  const { partial, ...snapshot } = await savedRun();
  expect(Object.keys(partial!)).toContain('epoch/loss/loss/4');
  const error = await errorOf(trainer(() => snapshot).fit({ ...FIT, resume: 'there' }));
  expect(error.code).toBe('BAD_CHECKPOINT');
  expect(error.message).toContain('"epoch/loss/loss/4"');
});

test('whatever is replaced in a saved state, the run ends: with a result, or with an error of ours', async () => {
  const snapshot = await savedRun();
  const places: string[][] = [];
  const visit = (value: unknown, path: string[]): void => {
    if (path.length > 0) places.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
  };
  visit(snapshot.state, []);
  const changes = places.flatMap((path) => ['x', -1, null].map((value) => ({ path, value })));
  const strange: string[] = [];
  for (const { path, value } of someOf(changes, 40)) {
    const broken = changed(snapshot, path, value);
    try {
      await trainer(() => broken).fit({ ...FIT, resume: 'there' });
    } catch (error) {
      const { name, message } = error as Error;
      if (name !== 'HooklineError') strange.push(`${path.join('.')} = ${JSON.stringify(value)}: ${message}`);
    }
  }
  expect(places.length).toBeGreaterThan(60);
  expect(strange).toEqual([]);
});
