import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisProcess } from '@hookline/host';
import { write } from '@hookline/test-support';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CONFIG, configProject } from '../config/config-project.js';
import { hooklineIn } from './hookline.js';
import { installPackage } from './install-package.js';

let root: string;

const recordOf = (id: string) => JSON.parse(readFileSync(join(root, 'runs', id, 'run.json'), 'utf8'));
/** The oldest first; several begin in the same second. */
const runsOf = () => {
  const records = readdirSync(join(root, 'runs')).map(recordOf);
  return records.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)).map(({ id }): string => id);
};

afterEach(() => vi.unstubAllEnvs());
beforeEach(() => {
  vi.stubEnv('HOOKLINE_LOG_LEVEL', 'error');
  root = configProject({ 'hookline.config.json': CONFIG });
});

test('hookline train trains and tests what the config says', async () => {
  const { code, out, err } = await hooklineIn(root, 'train');
  expect(err).toBe('');
  expect(out).toMatch(/^completed {2}best val\/loss \S+ at epoch \d {2}test\/loss \S+ {2}runs\/[\w-]+\n$/);
  expect(code).toBe(0);
  expect(recordOf(runsOf()[0]!)).toMatchObject({ status: 'completed', configFile: 'hookline.config.json' });
});

test('hookline train --set replaces settings, and an unknown one is refused before anything is written', async () => {
  expect(
    await hooklineIn(root, 'train', '--set', 'fit.epochs=1', '--set', 'hooks.stopper.patience=4'),
  ).toMatchObject({
    code: 0,
  });
  expect(recordOf(runsOf()[0]!).overrides).toEqual({ 'fit.epochs': 1, 'hooks.stopper.patience': 4 });
  const { code, err } = await hooklineIn(root, 'train', '--set', 'hooks.stoper.patience=4');
  expect(err).toContain('hooks.stoper: No hook is named "stoper". Did you mean "stopper"?');
  expect(code).toBe(1);
  expect(runsOf()).toHaveLength(1);
});

test('a config can be named, and one that is missing is named in the error', async () => {
  write(root, {
    'configs/other.json': { ...CONFIG, model: '../model.js#createModel', data: '../data.js#loadData' },
  });
  expect((await hooklineIn(root, 'train', 'configs/other.json')).code).toBe(0);
  expect(recordOf(runsOf()[0]!).configFile).toBe('configs/other.json');
  expect(await hooklineIn(root, 'train', 'gone.json')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no config file'),
  });
  expect(await hooklineIn(root, 'train', 'a', 'b')).toMatchObject({
    code: 2,
    err: expect.stringContaining("Unexpected argument 'b'."),
  });
});

test("an error in the user's own code is shown with its place", async () => {
  write(root, { 'model.js': `export const createModel = () => {\n  return undefinedName;\n};` });
  const { code, err } = await hooklineIn(root, 'train');
  expect(err).toMatch(/ReferenceError: undefinedName is not defined\n +at createModel .*model\.js:2/);
  expect(code).toBe(1);
});

describe('with logs and checkpoints', () => {
  beforeEach(async () => {
    await installPackage(root, 'hook-logging', `export { jsonLog } from './src/json/json-log.ts';`);
    await installPackage(root, 'hook-checkpoint');
    const logging = join(root, 'node_modules/@hookline/hook-logging');
    const manifest = JSON.parse(readFileSync(join(logging, 'package.json'), 'utf8'));
    const { 'json-log': jsonLog } = manifest.trainerHooks.hooks;
    write(logging, {
      'package.json': { ...manifest, trainerHooks: { schema: 1, hooks: { 'json-log': jsonLog } } },
    });
    const hooks = { 'json-log': { every: 1 }, checkpoint: { saveTopK: 10, async: false } };
    write(root, { 'hookline.config.json': { ...CONFIG, hooks } });
  });

  test('hookline resume continues the latest run as if it had not stopped', async () => {
    await hooklineIn(root, 'train', '--set', 'fit.epochs=4');
    await hooklineIn(root, 'train', '--set', 'fit.epochs=4', '--set', 'fit.maxSteps=6');
    const { code, out } = await hooklineIn(root, 'resume', '--set', 'fit.maxSteps=1000');
    expect(out).toMatch(/^Continues runs\//);
    expect(code).toBe(0);
    const [whole, part, rest] = runsOf().map(recordOf);
    expect(part.stopReason).toContain('maxSteps');
    expect(rest.metrics).toEqual(whole.metrics);
    expect(rest.overrides).toEqual({ 'fit.epochs': 4, 'fit.maxSteps': 1000 });
  });

  test('hookline runs lists the runs, and compare what is different about two of them', async () => {
    await hooklineIn(root, 'train');
    await hooklineIn(root, 'train', '--set', 'optimizer.lr=0.01', '--set', 'hooks.watcher=false');
    const [a, b] = runsOf() as [string, string];
    const { out } = await hooklineIn(root, 'runs');
    expect(out).toMatch(/^ {2}run +status +epochs +best +duration +commit\n/);
    expect(out).toMatch(new RegExp(`${a} +completed +2/2 +val/loss \\S+ \\(\\d\\) +\\S+ s +-\n`));
    const rows = JSON.parse((await hooklineIn(root, 'runs', '--json')).out);
    expect(rows.map(({ id, status }: Record<string, string>) => [id, status])).toEqual([
      [a, 'completed'],
      [b, 'completed'],
    ]);
    const compared = await hooklineIn(root, 'compare', a, b);
    expect(compared.out).toMatch(/optimizer\.lr +0\.1 +0\.01\n/);
    expect(compared.out).toMatch(/watcher\.setting +"on" +"off"\n/);
    expect(compared.out).toMatch(/val\/loss +\S+ +\S+ +[+-]\S+\n/);
    const data = JSON.parse((await hooklineIn(root, 'compare', a, b, '--json')).out);
    expect(data.config).toEqual([{ path: 'optimizer.lr', a: 0.1, b: 0.01 }]);
    expect(await hooklineIn(root, 'compare', a)).toMatchObject({ code: 2 });
    expect((await hooklineIn(root, 'compare', a, `${b}x`)).err).toContain(`Did you mean "${b}"?`);
  });

  test('hookline reproduce trains a run again, and finds the same bits', async () => {
    await hooklineIn(root, 'train', '--set', 'hyperparameters.units=5');
    const [run] = runsOf() as [string];
    const { code, out } = await hooklineIn(root, 'reproduce', run);
    expect(out).toMatch(
      /^The same bits: \d{2,} logged numbers up to step 8, and the weights of [23] checkpoints\.\n/,
    );
    expect(code).toBe(0);
    expect(runsOf()).toHaveLength(2);
  });

  test('hookline reproduce names the first step that differs', async () => {
    write(root, {
      'drift.js': `
        export const drift = () => ({
          name: 'drift',
          onTrainStart() { globalThis.driftRuns = (globalThis.driftRuns ?? 0) + 1; },
          onBeforeOptimizerStep(ctx) {
            if (globalThis.driftRuns === 2 && ctx.state.step === 4) ctx.skipStep();
          },
        });`,
      'hookline.config.json': {
        ...CONFIG,
        hooks: { 'json-log': { every: 1 }, checkpoint: false, './drift.js#drift': true },
      },
    });
    await hooklineIn(root, 'train');
    const { code, out } = await hooklineIn(root, 'reproduce', runsOf()[0]!);
    expect(out).toMatch(/^Differs first at step 6: \S+ was [\d.e-]+ and is [\d.e-]+\.\n/);
    expect(code).toBe(1);
  });

  test('hookline reproduce refuses another config or other data, and leaves nothing behind', async () => {
    await hooklineIn(root, 'train');
    const [run] = runsOf() as [string];
    const config = JSON.parse(readFileSync(join(root, 'hookline.config.json'), 'utf8'));
    write(root, { 'hookline.config.json': { ...config, optimizer: { name: 'sgd', lr: 0.2 } } });
    const other = await hooklineIn(root, 'reproduce', run);
    expect(other).toMatchObject({
      code: 1,
      err: expect.stringContaining('config: optimizer.lr was 0.1 and is 0.2'),
    });
    const moved = `export const loadData = () => ({ train: { xs: [[1], [2]], ys: [[1], [2]] } });`;
    write(root, { 'hookline.config.json': { ...config, data: './moved.js#loadData' }, 'moved.js': moved });
    const { err } = await hooklineIn(root, 'reproduce', run);
    expect(err).toContain('data: "train" has other values');
    expect(err).toContain('data: train.train.samples was 32 and is 2');
    expect(runsOf()).toEqual([run]);
  });
});

test('a run of another program, or one that is not there, is refused in words', async () => {
  expect(await hooklineIn(root, 'resume')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no run in'),
  });
  expect((await hooklineIn(root, 'runs')).out).toContain('There are no runs in');
  write(root, {
    'runs/20260101-000000-abcdef/run.json': { schema: 1, id: '20260101-000000-abcdef', config: {} },
  });
  for (const command of ['resume', 'reproduce']) {
    const { code, err } = await hooklineIn(root, command, '2026');
    expect(err).toContain('was not made from a config file');
    expect(code).toBe(1);
  }
});

test('hookline resume refuses a run that is still training, and continues one whose process is gone', async () => {
  await hooklineIn(root, 'train', '--set', 'fit.maxSteps=1');
  const [id] = runsOf() as [string];
  const file = join(root, 'runs', id, 'run.json');
  const running = { ...recordOf(id), status: 'running', process: thisProcess() };
  writeFileSync(file, JSON.stringify(running));
  const { code, err } = await hooklineIn(root, 'resume');
  expect(err).toMatch(/is still training, in process \d+\. .*stop it first/);
  expect(code).toBe(1);
  expect(runsOf()).toEqual([id]);
  const dead = { ...running.process, start: running.process.start - 1 };
  writeFileSync(file, JSON.stringify({ ...running, process: dead }));
  expect((await hooklineIn(root, 'resume')).err).not.toContain('is still training');
});

test.each([
  ['a config file outside of the project', { configFile: '../evil.mjs', overrides: {} }],
  ['a config file by an absolute path', { configFile: '/tmp/evil.mjs', overrides: {} }],
  ['a hook outside of the project', { overrides: { 'hooks["/tmp/evil.mjs#x"]': true } }],
  ['a model outside of the project', { overrides: { model: '../../evil.mjs' } }],
  ['a list of hooks from outside', { overrides: { hooks: [['../evil.mjs', { a: 1 }]] } }],
])('a record that names %s is refused: it may come from somebody else', async (_what, facts) => {
  const id = '20260101-000000-abcdef';
  write(root, {
    [`runs/${id}/run.json`]: {
      schema: 1,
      id,
      config: {},
      seed: 1,
      configFile: 'hookline.config.json',
      ...facts,
    },
  });
  for (const command of ['resume', 'reproduce']) {
    const { code, err } = await hooklineIn(root, command, id);
    expect(err).toMatch(/evil\.mjs, which is not a file of .*It was not imported\./);
    expect(code).toBe(1);
  }
});

test('a run of another project is refused', async () => {
  const id = '20260101-000000-abcdef';
  write(root, {
    [`runs/${id}/run.json`]: { schema: 1, id, config: {}, configFile: 'hookline.config.json', overrides: {} },
  });
  const { err } = await hooklineIn(configProject(), 'resume', join(root, 'runs', id));
  expect(err).toContain('belongs to a different project');
});
