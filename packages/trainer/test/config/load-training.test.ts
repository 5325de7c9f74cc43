import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { loadTraining } from '../../src/config/load-training.js';
import { CONFIG, configProject } from './config-project.js';

async function fitted(root: string, set = {}) {
  const training = await loadTraining({ cwd: root, set });
  const result = await training.trainer.fit(training.fit);
  const record = JSON.parse(readFileSync(join(result.runDir!, 'run.json'), 'utf8'));
  return { training, result, record };
}

test('a JSON config trains: model and data come from the files that it names', async () => {
  const { training, result, record } = await fitted(configProject({ 'hookline.config.json': CONFIG }));
  expect(result.history).toHaveLength(2);
  expect(result.metrics['val/loss']).toBeTypeOf('number');
  expect(training.test).toHaveProperty('xs');
  // Two times three and one for the bias of the first layer, three and one of the second.
  expect(record.model).toMatchObject({ params: 10, seeded: true });
  expect(record.configFile).toBe('hookline.config.json');
  expect(record.overrides).toEqual({});
});

test('overrides reach the model, the optimizer and the hooks, and the record says so', async () => {
  const { record, result } = await fitted(configProject({ 'hookline.config.json': CONFIG }), {
    ...{ 'hyperparameters.units': 5, 'fit.epochs': 1, 'hooks.stopper.patience': 4, 'hooks.watcher': false },
  });
  expect(result.history).toHaveLength(1);
  expect(record.model.params).toBe(16);
  expect(record.overrides).toEqual({
    ...{ 'hyperparameters.units': 5, 'fit.epochs': 1, 'hooks.stopper.patience': 4, 'hooks.watcher': false },
  });
  expect(record.config.hooks).toEqual({ stopper: { patience: 4 }, watcher: false });
  expect(record.config.hyperparameters).toEqual({ units: 5 });
});

test('the record holds arguments, the state of git and a fingerprint of the data, which changes with it', async () => {
  const root = configProject({ 'hookline.config.json': CONFIG });
  const { record } = await fitted(root);
  expect(record.argv).toBeInstanceOf(Array);
  expect(record.git).toMatchObject({ commit: 'not a git repository', diff: null });
  const { train, validation } = record.data;
  expect(train.train).toMatchObject({
    samples: 32,
    batchSize: 8,
    data: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
  expect(validation.validation).toMatchObject({ samples: 8 });
  write(root, {
    'other-data.js': `export const loadData = () => ({ train: { xs: [[1], [2]], ys: [[1], [2]] } });`,
  });
  const { record: other } = await fitted(root, { data: './other-data.js#loadData' });
  expect(other.data.train.train.data).not.toBe(train.train.data);
});

test('secrets in overrides are not recorded', async () => {
  const root = configProject({
    'hookline.config.json': { ...CONFIG, hyperparameters: { units: 3, apiToken: '' } },
  });
  const { record } = await fitted(root, { 'hyperparameters.apiToken': 'swordfish-1234' });
  expect(JSON.stringify(record)).not.toContain('swordfish');
});

test('files in a config are relative to it, those of hooks too', async () => {
  const root = configProject({
    'configs/hooks/mine.js': `export const mine = ({ scale }) => ({ name: 'mine', onInit(ctx) { ctx.log({ 'mine/scale': scale }); } });`,
    'configs/small.json': {
      ...CONFIG,
      model: '../model.js#createModel',
      data: '../data.js#loadData',
      hooks: [['./hooks/mine.js#mine', { scale: 7 }]],
    },
  });
  const { trainer, fit } = await loadTraining({ cwd: root, file: 'configs/small.json' });
  await trainer.fit(fit);
  expect(trainer.hooks.list().map(({ name }) => name)).toContain('mine');
});

test.each<[string, object, RegExp]>([
  [
    'a file that is not there',
    { model: './gone.js#createModel' },
    /model: \.\/gone\.js#createModel: there is no such file/,
  ],
  [
    'an export that is not there',
    { model: './model.js#createModl' },
    /model: .*it has no export "createModl"\. Did you mean "createModel"\?/,
  ],
  ['a loss that is not there', { loss: './gone.js' }, /loss: \.\/gone\.js: there is no such file/],
  ['data that fails', { data: './broken.js#fails' }, /data: loading it failed: no disk/],
  ['data without training data', { data: './broken.js#empty' }, /data\.train: is missing/],
  [
    'data with another name',
    { data: './broken.js#named' },
    /data\.validaton: unknown setting\. Did you mean "validation"\?/,
  ],
  [
    'data that is a list',
    { data: './broken.js#list' },
    /data: it is a list, expected \{ train, validation\?, test\? \}/,
  ],
])('%s is reported with its path', async (_what, change, message) => {
  const root = configProject({
    'hookline.config.json': { ...CONFIG, ...change },
    'broken.js': `
      export const fails = () => { throw new Error('no disk'); };
      export const empty = () => ({ validation: [] });
      export const named = () => ({ train: [], validaton: [] });
      export const list = () => [];`,
  });
  await expect(loadTraining({ cwd: root })).rejects.toThrow(message);
});
