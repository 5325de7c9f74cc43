import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import { SECRET_NAMES, SECRET_TEXTS, tempFolder } from '@hookline/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvLog, jsonLog, mlflow, tensorboard, type WandbClient, wandb } from '../src/index.js';
import { MlflowServer } from '../test/mlflow/mlflow-server.js';

/** Every secret below holds this, as text or as base64. */
const TRACES = /hush|aHVzaDpodXNo/i;

/** Every name with values of every shape, and every text under a name that says nothing. */
const OPTIONS = Object.fromEntries([
  ...SECRET_NAMES.flatMap((name) => [
    [name, 'hush'],
    [`my_${name}`, { inner: ['hush'] }],
    [`list-${name}`, ['hush', { deep: 'hush' }]],
  ]),
  ...SECRET_TEXTS.flatMap((text, i) => [
    [`option${i}`, text],
    [`nested${i}`, { in: { a: [text] } }],
  ]),
  ['address', new URL('https://user:hush@x.example/?a=1')],
  ['plain', 'to be seen'],
]) as Record<string, unknown>;

const server = new MlflowServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

test(`${Object.keys(OPTIONS).length - 1} options with secrets are in no file of the run, and no service gets them`, async () => {
  const runsDir = tempFolder();
  const given: unknown[] = [];
  const client: WandbClient = {
    init: (options) => {
      given.push(options);
      return { log: (values) => void given.push({ ...values }), finish: (code) => void given.push(code) };
    },
  };
  const mine = (_options: object): Hook => ({ name: 'mine' });
  // With the name of a user and a password, as servers behind a proxy need.
  const uri = server.uri.replace('//', '//user:hush@');
  const hooks = [
    [mine, OPTIONS],
    jsonLog(),
    csvLog(),
    tensorboard(),
    [wandb, { client, init: { notes: 'to be seen', settings: OPTIONS } }],
    [mlflow, { uri }],
  ];
  const { trainer, complaints, logged } = tinyRun(hooks as Hook[], { runsDir });
  await trainer.fit({ train: samples(8), validation: samples(4), epochs: 2, batchSize: 2 });
  expect(complaints).toEqual([]);

  const files = readdirSync(runsDir, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const contents = Object.fromEntries(
    files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'latin1')]),
  );
  const config = (given[0] as { config: unknown }).config;
  // The user's own options for the client's init are the user's business; the rest is what the hook says.
  const service = JSON.stringify([config, given.slice(1)]);
  const tracking = JSON.stringify(server.requests.map(({ path, body }) => [path, body]));
  // What is looked for could be there: the options are recorded, and everybody gets the config.
  const board = Object.keys(contents).find((name) => name.includes('tfevents'))!;
  for (const text of [contents['run.json'], contents[board], service]) expect(text).toContain('to be seen');
  expect(contents['run.json']!.match(/\[redacted\]/g)!.length).toBeGreaterThan(Object.keys(OPTIONS).length);
  expect(server.params).toMatchObject({ 'optimizer.name': 'sgd' });
  for (const [name, text] of Object.entries({
    ...contents,
    service,
    tracking,
    logged: JSON.stringify(logged),
  })) {
    expect(TRACES.exec(text)?.[0], name).toBeUndefined();
  }
});
