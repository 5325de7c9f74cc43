import { readdir, readFile } from 'node:fs/promises';
import type { Hook } from '@hookline/hook-api';
import { leaveHistograms } from '@hookline/hook-api/helpers';
import { namedHook, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { consoleLog, csvLog, jsonLog, mlflow, tensorboard, wandb } from '../src/index.js';
import { csvObjects } from './csv/parse-csv.js';

const folder = folderPerTest();
const FIT = { train: samples(16), validation: samples(4), epochs: 2, batchSize: 2 };

const leaves: Hook = {
  name: 'leaves',
  onEpochEnd: ({ shared, state }) =>
    leaveHistograms(shared, [
      {
        name: 'w',
        step: state.step,
        min: 0,
        max: 1,
        num: 2,
        sum: 1,
        sumSquares: 1,
        edges: [0, 1],
        counts: [2],
      },
    ]),
};

test('two instances of a log that writes to the folder of the run have files of their own', async () => {
  const { trainer, complaints } = tinyRun(
    [
      leaves,
      jsonLog({ every: 4 }),
      namedHook(jsonLog({ every: 1, metrics: 'train/*' }), 'every batch'),
      csvLog({ every: 4 }),
      namedHook(csvLog({ every: 1 }), 'table'),
      tensorboard(),
      namedHook(tensorboard({ every: 1 }), 'curves'),
    ],
    { runsDir: folder.path },
  );
  const { runDir } = await trainer.fit(FIT);
  expect(complaints).toEqual([]);
  expect((await readdir(runDir)).sort()).toEqual(
    [
      ...[
        'log.jsonl',
        'every_batch.jsonl',
        'log.csv',
        'log-histograms.csv',
        'table.csv',
        'table-histograms.csv',
      ],
      ...['tensorboard', 'curves', 'run.json'],
    ].sort(),
  );
  const batches = async (file: string) =>
    (await readFile(`${runDir}/${file}`, 'utf8')).split('\n').filter((line) => line.includes('"batch"'))
      .length;
  expect([await batches('log.jsonl'), await batches('every_batch.jsonl')]).toEqual([4, 16]);
  const rows = async (file: string) =>
    csvObjects(await readFile(`${runDir}/${file}`, 'utf8')).filter(({ event }) => event === 'batch').length;
  expect([await rows('log.csv'), await rows('table.csv')]).toEqual([4, 16]);
  for (const file of ['log-histograms.csv', 'table-histograms.csv'])
    expect(csvObjects(await readFile(`${runDir}/${file}`, 'utf8')), file).toHaveLength(2);
});

test('two tensorboards that share a folder write a file each', async () => {
  const hooks = [tensorboard({ dir: folder.path }), namedHook(tensorboard({ dir: folder.path }), 'second')];
  await tinyRun(hooks).trainer.fit(FIT);
  expect((await readdir(folder.path)).map((name) => name.split('.').at(-1)).sort()).toEqual([
    'hookline',
    'second',
  ]);
});

test('two consoles print what each was asked for', async () => {
  const [first, second]: [string[], string[]] = [[], []];
  const hooks = [
    consoleLog({ every: false, write: (text) => first.push(text) }),
    namedHook(consoleLog({ every: 8, metrics: 'val/*', write: (text) => second.push(text) }), 'brief'),
  ];
  await tinyRun(hooks).trainer.fit(FIT);
  expect(first.join('')).toMatch(/train loss .* val loss/);
  expect(first.join('')).not.toContain('batch 8/8');
  expect(second.join('')).toContain('batch 8/8');
  expect(second.join('')).not.toContain('train loss');
});

test('a warning says which instance it is about', async () => {
  const broken = (): never => {
    throw new Error('quota exceeded');
  };
  const { trainer, complaints } = tinyRun([
    wandb({ client: { init: () => ({ log: () => {}, finish: () => {} }) } }),
    namedHook(wandb({ client: { init: broken } }), 'second-account'),
    namedHook(mlflow({ uri: 'http://127.0.0.1:9', retries: 0 }), 'old-server'),
    namedHook(csvLog(), 'table'),
  ]);
  expect((await trainer.fit(FIT)).status).toBe('completed');
  expect(complaints.sort()).toEqual([
    expect.stringMatching(/^old-server cannot log: http:\/\/127\.0\.0\.1:9 cannot be reached/),
    expect.stringMatching(/^second-account cannot log: quota exceeded\./),
    expect.stringMatching(/^table has nowhere to write/),
  ]);
});
