import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecord, readRun } from '../src/index.js';
import { runFolder } from './run-folder.js';

const recordOf = (record: unknown) => readRecord(runFolder({ 'run.json': record }));

test.each([
  ['nothing', ''],
  ['half a file', '{"id":"a","status":'],
  ['null', 'null'],
  ['a list', '[1,2]'],
  ['text', '"running"'],
])('a record that is %s is an unknown run', async (_what, content) => {
  expect(await recordOf(content)).toMatchObject({
    id: '',
    status: 'unknown',
    hooks: [],
    layers: [],
    metrics: {},
  });
});

test('what has the wrong type is left out, the rest stays', async () => {
  const record = await recordOf({
    id: 7,
    status: 'completed',
    stopReason: ['x'],
    seed: '3',
    durationMs: null,
    backend: 'wasm',
    git: { commit: 5, dirty: 'yes' },
    model: { params: '65', layers: 'none' },
    versions: { node: '20', tfjs: 4 },
    hooks: [7, null, { name: 'a', enabled: 1 }],
    best: { metric: 'val/loss', value: 1 },
    metrics: { a: 1, b: '1', c: 'NaN' },
    config: { anything: [1] },
  });
  expect(record).toMatchObject({
    id: '',
    status: 'completed',
    versions: { node: '20' },
    layers: [],
    isDirty: false,
    metrics: { a: 1, c: Number.NaN },
    config: { anything: [1] },
  });
  expect(record.hooks.map(({ name, isOn }) => [name, isOn])).toEqual([
    ['', false],
    ['', false],
    ['a', false],
  ]);
  for (const name of [
    'stopReason',
    'seed',
    'durationMs',
    'backend',
    'commit',
    'parameters',
    'best',
  ] as const) {
    expect(record[name], name).toBeUndefined();
  }
});

test('an error is a failure; why a hook counts it as failed comes first', async () => {
  expect(await recordOf({ status: 'error', error: { message: 'no space' } })).toMatchObject({
    failure: 'no space',
  });
  expect(await recordOf({ failure: 'NaN', error: { message: 'no' } })).toMatchObject({ failure: 'NaN' });
});

test('costs belong to the hook of their name, and a hook without one has none', async () => {
  const { hooks } = await recordOf({
    hooks: [
      { name: 'a', enabled: true, options: { every: 2 } },
      { name: 'b', enabled: false, reason: 'off' },
    ],
    hookCosts: [{ name: 'a', calls: 3, milliseconds: 1.5 }, 7, { name: 'c', calls: 1 }],
  });
  expect(hooks).toMatchObject([
    { name: 'a', isOn: true, options: { every: 2 }, calls: 3, milliseconds: 1.5 },
    { name: 'b', isOn: false, reason: 'off', calls: undefined, milliseconds: undefined },
  ]);
});

test('however long its lists are, what is kept is bounded', async () => {
  const record = await recordOf({
    hooks: Array.from({ length: 1_100 }, () => ({ name: 'a' })),
    model: { layers: Array.from({ length: 10_100 }, () => ({})) },
  });
  expect([record.hooks.length, record.layers.length]).toEqual([1_000, 10_000]);
  expect(record.layers[0]).toEqual({ path: '', kind: '', shape: '', parameters: 0 });
});

test.each(['..', '../other', '/etc', 'a/b', 'a\\b', '.hidden', '', 'a\u0000', 'x'.repeat(300), 7])(
  'a record cannot make us read elsewhere: it continues %j',
  async (run) => {
    expect((await recordOf({ resumedFrom: { run } })).resumedFrom).toBeUndefined();
  },
);

test('a profile takes what has the right type, at most 100 phases', async () => {
  const phases = Array.from({ length: 150 }, (_, at) => ({ name: `p${at}`, seconds: at, share: '1' }));
  const folder = runFolder({ 'profile.json': { verdict: 'slow', phases } });
  const { profile } = await readRun(folder);
  expect(profile!.phases).toHaveLength(100);
  expect(profile!.phases[1]).toEqual({ name: 'p1', seconds: 1, share: 0 });
  writeFileSync(join(folder, 'profile.json'), JSON.stringify({ phases }));
  expect((await readRun(folder)).profile).toBeUndefined();
});
