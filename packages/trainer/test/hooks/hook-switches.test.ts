import type { Hook } from '@hookline/hook-api';
import { npmProject, plugin, regression, regressor } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { Trainer } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(8), epochs: 1, batchSize: 2 };

/** Writes down when it is set up, called and torn down. */
function scribe(name: string, diary: string[], more: Partial<Hook> = {}): Hook {
  return {
    name,
    setup: () => void diary.push(`+${name}`),
    onTrainBatchEnd: () => void diary.push(name),
    teardown: () => void diary.push(`-${name}`),
    ...more,
  };
}

function atBatch(batch: number, act: () => unknown): Hook {
  return {
    name: 'actor',
    onTrainBatchStart: async (_ctx, { batchIndex }) => {
      if (batchIndex === batch) await act();
    },
  };
}

function stateOf(trainer: Trainer, name: string): [boolean | undefined, string | undefined] {
  const entry = trainer.hooks.list().find((each) => each.name === name);
  return [entry?.enabled, entry?.reason];
}

describe('a hook that failed too often', () => {
  const broken = (calls: number[]): Hook => ({
    name: 'broken',
    onTrainBatchEnd: (_ctx, { batchIndex }) => {
      calls.push(batchIndex);
      throw new Error('broken');
    },
  });

  test('is listed as off with the reason, and gets another chance in the next run', async () => {
    const calls: number[] = [];
    const trainer = quietTrainer({ model: regressor(), hooks: [broken(calls)] });
    await trainer.fit(FIT);
    expect(calls).toEqual([0, 1, 2]);
    expect(stateOf(trainer, 'broken')).toEqual([false, 'It failed too often.']);
    await trainer.fit(FIT);
    expect(calls).toEqual([0, 1, 2, 0, 1, 2]);
  });

  test('gets another chance at once when it is enabled by name', async () => {
    const calls: number[] = [];
    const again = atBatch(3, () => trainer.enableHook('broken'));
    const trainer = quietTrainer({ model: regressor(), hooks: [again, broken(calls)] });
    await trainer.fit(FIT);
    expect(calls).toEqual([0, 1, 2, 3]);
  });

  test('stays off in the next run when the user switched it off', async () => {
    const calls: number[] = [];
    const trainer = quietTrainer({ model: regressor(), hooks: [broken(calls)] });
    await trainer.fit(FIT);
    trainer.disableHook('broken');
    expect(stateOf(trainer, 'broken')).toEqual([false, 'Switched off.']);
    await trainer.fit(FIT);
    expect(calls).toHaveLength(3);
  });
});

describe('a hook that writes or sends something, in a fastDevRun', () => {
  const writer = (diary: string[]) => scribe('writer', diary, { writes: true });
  const trial = { ...FIT, fastDevRun: true };

  test('is listed as off with the reason, and takes part again afterwards', async () => {
    const diary: string[] = [];
    let during: unknown;
    const asking = atBatch(0, () => {
      during = stateOf(trainer, 'writer');
    });
    const trainer: Trainer = quietTrainer({ model: regressor(), hooks: [asking, writer(diary)] });
    await trainer.fit(trial);
    expect(during).toEqual([false, 'Off in a fastDevRun, because it writes or sends something.']);
    expect(diary).toEqual([]);
    expect(stateOf(trainer, 'writer')).toEqual([true, '']);
    await trainer.fit(FIT);
    expect(diary).toContain('writer');
  });

  test.each([
    ['enables it', (trainer: Trainer) => trainer.enableHook('writer')],
    ['asks for the model, which loads hooks', (trainer: Trainer) => trainer.model()],
  ])('stays out when somebody %s', async (_, act) => {
    const diary: string[] = [];
    const trainer: Trainer = quietTrainer({
      model: regressor(),
      hooks: [atBatch(0, () => act(trainer)), writer(diary)],
    });
    await trainer.fit(trial);
    expect(diary).toEqual([]);
  });

  test('stays off afterwards when somebody disabled it, and away when somebody removed it', async () => {
    for (const change of ['disableHook', 'removeHook'] as const) {
      const diary: string[] = [];
      const trainer: Trainer = quietTrainer({
        model: regressor(),
        hooks: [atBatch(0, () => trainer[change]('writer')), writer(diary)],
      });
      await trainer.fit(trial);
      expect(stateOf(trainer, 'writer')[0]).toBe(change === 'disableHook' ? false : undefined);
      trainer.removeHook('actor');
      await trainer.fit(FIT);
      expect(diary).toEqual([]);
    }
  });
});

describe('an installed hook and the user’s hook of the same name', () => {
  const root = () =>
    npmProject({
      'trainer-hook-a': plugin('trainer-hook-a', 'a', {
        code: `export default () => ({ name: 'a', onTrainBatchEnd: (ctx) => ctx.log({ 'a/installed': 1 }) });`,
      }),
    });

  test('change places during a run: the user’s is called from the next event on, the installed one no more', async () => {
    const diary: string[] = [];
    const installed: number[] = [];
    const trainer: Trainer = quietTrainer({
      ...{ model: regressor(), discover: true, root: root() },
      hooks: [
        { name: 'logs', onLog: (_ctx, { values }) => void ('a/installed' in values && installed.push(1)) },
        atBatch(2, () => trainer.addHook(scribe('a', diary))),
      ],
    });
    await trainer.fit(FIT);
    expect(diary).toEqual(['+a', 'a', 'a', '-a']);
    expect(installed).toHaveLength(2);
  });

  test('when the user’s is removed during a run it is torn down, and the installed one is back in the next', async () => {
    const diary: string[] = [];
    const trainer: Trainer = quietTrainer({
      ...{ model: regressor(), discover: true, root: root() },
      hooks: [atBatch(2, () => trainer.removeHook('a')), scribe('a', diary)],
    });
    expect((await trainer.fit(FIT)).metrics).not.toHaveProperty(['a/installed']);
    expect(diary).toEqual(['+a', 'a', 'a', '-a']);
    trainer.removeHook('actor');
    expect((await trainer.fit(FIT)).metrics).toHaveProperty(['a/installed']);
    expect(diary).toHaveLength(4);
  });
});

test('a hook that is switched on after others have run still runs in its place', async () => {
  const diary: string[] = [];
  const first = () => scribe('first', diary);
  const trainer = quietTrainer({
    model: regressor(),
    hooks: [scribe('zeroth', diary), [first, false], scribe('last', diary)],
  });
  await trainer.fit(FIT);
  trainer.enableHook('first');
  diary.length = 0;
  await trainer.fit({ ...FIT, batchSize: 8 });
  expect(diary.slice(0, 6)).toEqual(['+zeroth', '+first', '+last', 'zeroth', 'first', 'last']);
  expect(trainer.hooks.list().map(({ name }) => name)).toEqual(['zeroth', 'first', 'last']);
});

test('asking for the model during a run does not set hooks up again', async () => {
  const diary: string[] = [];
  const first = () => scribe('first', diary);
  const trainer: Trainer = quietTrainer({
    model: regressor(),
    hooks: [
      [first, false],
      atBatch(1, () => {
        trainer.enableHook('first');
        return trainer.model();
      }),
      scribe('last', diary),
    ],
  });
  await trainer.fit(FIT);
  expect(diary.filter((each) => each.endsWith('last'))).toEqual([
    '+last',
    'last',
    'last',
    'last',
    'last',
    '-last',
  ]);
  expect(diary.filter((each) => each.endsWith('first'))).toEqual([
    '+first',
    'first',
    'first',
    'first',
    '-first',
  ]);
});

test('use() with a hook takes effect during a run, as addHook does', async () => {
  const diary: string[] = [];
  const trainer: Trainer = quietTrainer({
    model: regressor(),
    hooks: [atBatch(2, () => trainer.use('late', scribe('late', diary)))],
  });
  await trainer.fit(FIT);
  expect(diary).toEqual(['+late', 'late', 'late', '-late']);
});

test('explain() shows every event as deep in the loop as it is', async () => {
  const lines = (await quietTrainer({ model: regressor() }).explain()).split('\n');
  const depth = (event: string) => lines.find((line) => line.trim() === event)?.search(/\S/);
  expect(depth('onTrainBatchReady')).toBe(depth('transformBatch'));
  expect(depth('transformLoss')).toBe(depth('onBeforeBackward'));
  expect(depth('onGradientsReady')).toBe(depth('onGradientClip'));
  expect([depth('setup'), depth('onEpochStart'), depth('onTrainBatchStart'), depth('onForward')]).toEqual([
    0, 2, 4, 6,
  ]);
});
