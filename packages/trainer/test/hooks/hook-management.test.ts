import { type Hook, TrainerHook } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  type LogLine,
  recorder,
  regression,
  regressor,
  tempFolder,
} from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { Trainer } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(8), epochs: 1, batchSize: 4 };

/** Writes its name down at each batch. */
function scribe(name: string, diary: string[]): Hook {
  return {
    name,
    setup: () => void diary.push(`+${name}`),
    onTrainBatchEnd: () => void diary.push(name),
    teardown: () => void diary.push(`-${name}`),
  };
}

function states(trainer: Trainer): string[] {
  return trainer.hooks.list().map(({ name, enabled }) => `${name} ${enabled ? 'on' : 'off'}`);
}

test('hooks run in the order in which they are passed and added, built-ins last', async () => {
  const diary: string[] = [];
  const trainer = quietTrainer({
    model: regressor(),
    hooks: [scribe('progress', diary), scribe('a', diary), scribe('b', diary)],
  });
  trainer.addHook(scribe('c', diary));
  await trainer.fit({ ...FIT, batchSize: 8 });
  const expected = ['a', 'b', 'c', 'progress'];
  expect(states(trainer)).toEqual(expected.map((name) => `${name} on`));
  expect(diary).toEqual([
    ...expected.map((name) => `+${name}`),
    ...expected,
    ...expected.toReversed().map((name) => `-${name}`),
  ]);
});

test('classes, factories and objects keep the order in which they are added, also between runs', async () => {
  const diary: string[] = [];
  class Written extends TrainerHook {
    readonly name = 'written';
    override onTrainBatchEnd() {
      diary.push('written');
    }
  }
  const trainer = quietTrainer({ model: regressor(), hooks: [Written] });
  trainer.addHook(scribe('object', diary));
  trainer.addHook([({ name = '' }) => scribe(name, diary), { name: 'made' }]);
  await trainer.fit({ ...FIT, batchSize: 8 });
  expect(diary.filter((each) => !/^[+-]/.test(each))).toEqual(['written', 'object', 'made']);

  diary.length = 0;
  trainer.addHook(() => scribe('later', diary));
  trainer.addHook(scribe('last', diary));
  await trainer.fit({ ...FIT, batchSize: 8 });
  expect(diary.filter((each) => !/^[+-]/.test(each))).toEqual(['written', 'object', 'made', 'later', 'last']);
});

describe('before, between and after runs', () => {
  test('hooks are added, disabled, enabled and removed by name', async () => {
    const diary: string[] = [];
    const trainer = quietTrainer({ model: regressor(), hooks: [scribe('a', diary)] });
    trainer.addHook(scribe('b', diary));
    trainer.disableHook('a');
    expect(states(trainer)).toEqual(['a off', 'b on']);
    await trainer.fit(FIT);
    expect(diary).toEqual(['+b', 'b', 'b', '-b']);

    diary.length = 0;
    trainer.enableHook('a');
    trainer.removeHook('b');
    expect(states(trainer)).toEqual(['a on']);
    await trainer.fit(FIT);
    expect(diary).toEqual(['+a', 'a', 'a', '-a']);
  });

  test('an unknown name is reported with the nearest one', async () => {
    const trainer = quietTrainer({ model: regressor(), hooks: [scribe('gradient-noise', [])] });
    for (const change of ['removeHook', 'enableHook', 'disableHook'] as const) {
      const error = await errorOf(() => trainer[change]('gradient-nois'));
      expect(error.code).toBe('UNKNOWN_HOOK');
      expect(error.message).toContain('Did you mean "gradient-noise"?');
    }
  });
});

describe('during a run', () => {
  const atBatch = (batch: number, act: () => void): Hook => ({
    name: 'actor',
    onTrainBatchEnd: (_ctx, { batchIndex }) => {
      if (batchIndex === batch) act();
    },
  });

  test('a hook that is added is set up before the next event and torn down in the end', async () => {
    const diary: string[] = [];
    const trainer: Trainer = quietTrainer({
      model: regressor(),
      hooks: [atBatch(0, () => trainer.addHook(scribe('late', diary)))],
    });
    await trainer.fit(FIT);
    expect(diary).toEqual(['+late', 'late', '-late']);
    expect(states(trainer)).toEqual(['actor on', 'late on']);
  });

  test('a hook that is disabled is not called, keeps its place, and can be enabled again', async () => {
    const diary: string[] = [];
    const trainer: Trainer = quietTrainer({
      model: regressor(),
      hooks: [
        {
          name: 'actor',
          onTrainBatchStart: (_ctx, { batchIndex }) => {
            if (batchIndex === 1) trainer.disableHook('a');
            if (batchIndex === 2) trainer.enableHook('a');
          },
        },
        scribe('a', diary),
      ],
    });
    await trainer.fit({ ...FIT, batchSize: 2 });
    expect(diary).toEqual(['+a', 'a', 'a', 'a', '-a']);
  });

  test('a hook that is removed is torn down and gone', async () => {
    const diary: string[] = [];
    const trainer: Trainer = quietTrainer({
      model: regressor(),
      hooks: [atBatch(0, () => trainer.removeHook('a')), scribe('a', diary)],
    });
    await trainer.fit(FIT);
    expect(diary).toEqual(['+a', 'a', '-a']); // the dispatch that removed it went on to its end
    expect(states(trainer)).toEqual(['actor on']);
  });

  test('a tap that is added or removed takes effect at the next batch', async () => {
    const seen = recorder('tap', ['onForward']);
    const trainer: Trainer = quietTrainer({
      model: regressor(),
      hooks: [
        {
          name: 'actor',
          onTrainBatchEnd: (_ctx, { batchIndex }) => {
            if (batchIndex === 0) trainer.addHook(seen);
            if (batchIndex === 2) trainer.removeHook('tap');
          },
        },
      ],
    });
    await trainer.fit({ ...FIT, batchSize: 2 });
    expect(seen.events.map(({ state }) => state.batchIndex)).toEqual([1, 1, 2, 2]);
  });
});

test('costs count the calls of each hook in the run', async () => {
  const trainer = quietTrainer({ model: regressor(), hooks: [scribe('a', []), scribe('b', [])] });
  const { hookCosts } = await trainer.fit(FIT);
  expect(hookCosts.map(({ name, calls }) => [name, calls])).toEqual([
    ['a', 4],
    ['b', 4],
  ]);
  expect(hookCosts.every(({ milliseconds }) => milliseconds >= 0)).toBe(true);
});

test('a hook that cannot be loaded does not cost the model its training', async () => {
  const root = tempFolder({
    'package.json': { name: 'project', type: 'module' },
    'broken.js': 'throw new Error("no")',
  });
  const trainer = quietTrainer({ model: regressor, root });
  await trainer.fit(FIT);
  const model = await trainer.model();
  trainer.addHook('./broken.js');
  await errorOf(trainer.fit(FIT));
  trainer.removeHook('./broken.js');
  await trainer.fit(FIT);
  expect(await trainer.model()).toBe(model);
});

describe('shortcuts', () => {
  test.each([
    ['addConsoleLogging', '@hookline/hook-logging'],
    ['addJsonLogging', '@hookline/hook-logging'],
    ['addCheckpointing', '@hookline/hook-checkpoint'],
  ] as const)('%s without its package names the command that installs it', async (shortcut, name) => {
    const root = tempFolder({ 'package.json': { name: 'project' } });
    const trainer = quietTrainer({ model: regressor(), root });
    const error = await errorOf(() => trainer[shortcut]());
    expect(error.code).toBe('HOOK_NOT_INSTALLED');
    expect(error.message).toContain(`npm install ${name}`);
  });

  test('use and the shortcuts tune what is installed, and can be chained', async () => {
    const root = tempFolder({
      'package.json': { name: 'project', dependencies: { '@hookline/hook-logging': '*' } },
      'node_modules/@hookline/hook-logging/package.json': {
        name: '@hookline/hook-logging',
        version: '1.0.0',
        type: 'module',
        trainerHooks: {
          schema: 1,
          hooks: {
            'console-log': { entry: './index.js', export: 'consoleLog' },
            'json-log': { entry: './index.js', export: 'jsonLog' },
          },
        },
      },
      'node_modules/@hookline/hook-logging/index.js': `
        const hook = (name) => (options) => ({ name, onTrainEnd: (ctx) => ctx.logger.info(name + ' every ' + options.every) });
        export const consoleLog = hook('console-log');
        export const jsonLog = hook('json-log');`,
    });
    const said: LogLine[] = [];
    const trainer = quietTrainer({ model: regressor(), root, logger: collectingLogger(said) })
      .addConsoleLogging({ every: 5 })
      .addJsonLogging({ every: 7 });
    expect(states(trainer)).toEqual(['console-log on', 'json-log on']);
    await trainer.fit(FIT);
    expect(said.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['console-log every 5', 'json-log every 7']),
    );
    trainer.use('json-log', false);
    expect(states(trainer)).toEqual(['console-log on', 'json-log off']);
  });
});

test('addHook returns how to remove it again, whatever was added', async () => {
  const diary: string[] = [];
  const trainer = quietTrainer({ model: regressor(), hooks: [scribe('stays', diary)] });
  class Classy extends TrainerHook {
    readonly name = 'classy';
  }
  const removers = [scribe('object', diary), () => scribe('made', diary), Classy].map((item) =>
    trainer.addHook(item),
  );
  await trainer.fit(FIT);
  expect(states(trainer)).toEqual(['stays on', 'object on', 'made on', 'classy on']);
  for (const remove of removers) remove();
  for (const remove of removers) remove(); // twice does nothing
  expect(states(trainer)).toEqual(['stays on']);

  const remove = trainer.addHook(scribe('during', diary));
  trainer.addHook({ name: 'remover', onTrainStart: remove });
  diary.length = 0;
  await trainer.fit({ ...FIT, batchSize: 8 });
  expect(diary).toEqual(['+stays', '+during', '-during', 'stays', '-stays']);
});
