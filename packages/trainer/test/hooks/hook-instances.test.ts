import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook, Snapshot } from '@hookline/hook-api';
import { npmProject, plugin, regression, regressor } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run-cli.js';
import type { HookItem, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const FIT = { train: regression(8), epochs: 2, batchSize: 4 };

/** A hook that counts batches in steps of its option, logs the count, and saves it. */
const counter = plugin('trainer-hook-counter', 'counter', {
  code: `export default ({ by = 1 } = {}) => {
    let count = 0;
    return {
      name: 'counter',
      onTrainBatchEnd: () => void (count += by),
      onEpochEnd: (ctx) => ctx.log({ [ctx.hook + '/count']: count }),
      saveState: () => ({ count }),
      loadState: (state) => void (count = state.count),
    };
  };`,
});
const packages = {
  '@hookline/hook-early-stopping': plugin('@hookline/hook-early-stopping', 'early-stopping'),
  'trainer-hook-counter': counter,
};

function project(options: Partial<TrainerOptions>) {
  const root = npmProject(packages);
  return quietTrainer({ model: regressor(), discover: true, root, ...options });
}

test('each instance runs with its own options and logs under its own name', async () => {
  const trainer = project({
    hooks: ['counter', ['counter', { by: 10 }], ['counter', { name: 'hundreds', by: 100 }]],
  });
  const { metrics } = await trainer.fit(FIT);
  expect(metrics).toMatchObject({ 'counter/count': 4, 'counter-2/count': 40, 'hundreds/count': 400 });
});

test('each instance has its own state in a checkpoint, under its name, and gets it back', async () => {
  let saved: Snapshot | undefined;
  const saver: Hook = {
    name: 'saver',
    onTrainEnd: async (ctx) => {
      saved = await ctx.snapshot();
    },
  };
  const restorer: Hook = { name: 'restorer', onInit: async (ctx) => void (await ctx.restore(saved!)) };
  const counters: HookItem[] = ['counter', ['counter', { name: 'tens', by: 10 }]];
  await project({ hooks: [...counters, saver] }).fit(FIT);
  expect(saved?.state).toMatchObject({
    hooks: { counter: { state: { count: 4 } }, tens: { state: { count: 40 } } },
  });
  const { metrics } = await project({ hooks: [...counters, restorer] }).fit({ ...FIT, epochs: 3 });
  expect(metrics).toMatchObject({ 'counter/count': 6, 'tens/count': 60 });
});

test('instances keep the place of their built-in, and are listed so before anything is loaded', async () => {
  const trainer = project({
    hooks: [['early-stopping', { patience: 1 }], ['early-stopping', { name: 'patient' }], 'counter'],
  });
  const listed = () => trainer.hooks.list().map(({ name, instanceOf }) => [name, instanceOf]);
  const expected = [
    ['counter', undefined],
    ['early-stopping', undefined],
    ['patient', 'early-stopping'],
  ];
  expect(listed()).toEqual(expected);
  await trainer.ready();
  expect(listed()).toEqual(expected);
  expect(trainer.hooks.manager.list().map(({ name, slot }) => [name, slot])).toEqual([
    ['counter', 'counter'],
    ['early-stopping', 'early-stopping'],
    ['patient', 'early-stopping'],
  ]);
});

test('an instance is switched off, on and removed by its name during a run', async () => {
  const actor: Hook = {
    name: 'actor',
    onTrainBatchStart: ({ state: { epoch } }, { batchIndex }) => {
      if (epoch === 0 && batchIndex === 1) trainer.disableHook('tens');
      if (epoch === 1 && batchIndex === 0) trainer.enableHook('tens');
      if (epoch === 1 && batchIndex === 1) trainer.removeHook('counter');
    },
  };
  const trainer = project({ hooks: [actor, 'counter', ['counter', { name: 'tens', by: 10 }]] });
  const { metrics, hookCosts } = await trainer.fit(FIT);
  expect(metrics['tens/count']).toBe(30);
  expect(metrics['counter/count']).toBe(2); // of the first epoch
  expect(hookCosts.map(({ name }) => name)).toEqual(['actor', 'tens', 'early-stopping']);
});

test('the run record and hookline hooks --run name the hook that each is an instance of', async () => {
  const root = npmProject(packages);
  mkdirSync(join(root, 'runs'));
  const trainer = quietTrainer({
    ...{ model: regressor(), discover: true, root, runsDir: join(root, 'runs') },
    hooks: [{ name: 'mine' }, 'counter', ['counter', { name: 'tens', by: 10 }], ['counter', false]],
  });
  await trainer.fit(FIT);
  const run = join(root, 'runs', readdirSync(join(root, 'runs'))[0]!);
  const { hooks } = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8'));
  expect(hooks.slice(1)).toMatchObject([
    { name: 'counter', package: 'trainer-hook-counter', enabled: true },
    { name: 'tens', instanceOf: 'counter', enabled: true },
    { name: 'counter-2', instanceOf: 'counter', enabled: false },
    { name: 'early-stopping' },
  ]);
  expect(hooks[1]).not.toHaveProperty('instanceOf');

  let out = '';
  const print = (text: string) => {
    out += text;
  };
  expect(await runCli(['hooks', '--run', run], print, print)).toBe(0);
  expect(out.replace(run, '<run>')).toMatchInlineSnapshot(`
    "Hooks of the run in <run>

      mine            your code                            on
      counter         trainer-hook-counter@1.2.3           on
      tens            trainer-hook-counter@1.2.3           on
          an instance of counter
      counter-2       trainer-hook-counter@1.2.3           off
          an instance of counter
          Switched off.
      early-stopping  @hookline/hook-early-stopping@1.2.3  on

    Order: mine, counter, tens, early-stopping
    "
  `);
  out = '';
  await runCli(['hooks', '--run', run, '--json'], print, print);
  expect(JSON.parse(out).hooks).toEqual(hooks);
});

test('hookline hooks --run says what it expected when there is no run', async () => {
  let [out, err] = ['', ''];
  const code = await runCli(
    ['hooks', '--run', 'nowhere'],
    (text) => {
      out += text;
    },
    (text) => {
      err += text;
    },
  );
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('nowhere has no run.json that can be read. Expected the folder of a run');
});
