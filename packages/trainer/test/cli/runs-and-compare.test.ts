import { folderPerTest, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hookline } from './hookline.js';
import { numbersAt, writtenRun } from './written-run.js';

const folder = folderPerTest();
const runs = async (...args: string[]) => (await hookline('runs', '--runs', folder.path, ...args)).out;
const compare = (...args: string[]) => hookline('compare', 'a', 'b', '--runs', folder.path, ...args);
const COMMIT = '59283415'.padEnd(40, '0');

/** The cells of the line that begins with a word. */
const lineOf = (out: string, word: string) =>
  out
    .split('\n')
    .find((line) => line.trim().startsWith(word))
    ?.trim()
    .split(/ {2,}/);

test('hookline runs tells of each how far it came, its best epoch, its time and its commit', async () => {
  const best = { metric: 'val/loss', value: 0.123456, epoch: 2 };
  writtenRun(folder.path, 'a', { best, durationMs: 61_000, git: { commit: COMMIT, dirty: true } }, [
    { event: 'start', step: 0, epoch: 0, epochs: 5 },
    { event: 'epoch', step: 4, epoch: 0, metrics: { 'val/loss': 0.123456 } },
  ]);
  expect(lineOf(await runs(), 'a')).toEqual([
    'a',
    'completed',
    '1/5',
    'val/loss 0.1235 (2)',
    '1 min 1 s',
    '59283415*',
  ]);
});

test.each([
  [1_234, '1.2 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [119_700, '2 min 0 s'],
  [3_599_900, '1 h 0 min'],
  [11_520_000, '3 h 12 min'],
])('%d ms are %s in the list', async (durationMs, text) => {
  writtenRun(folder.path, 'a', { durationMs });
  expect(lineOf(await runs(), 'a')).toContain(text);
});

test('what is not known is a dash, and a clean commit has no star', async () => {
  writtenRun(folder.path, 'a', { git: { commit: COMMIT, dirty: false } });
  write(folder.path, { 'b/run.json': 'torn' });
  const out = await runs();
  expect(lineOf(out, 'a')).toEqual(['a', 'completed', '0', '-', '-', '59283415']);
  expect(lineOf(out, 'b')).toEqual(['b', 'unknown', '0', '-', '-', '-']);
});

test('runs are in the order in which they began, also as data', async () => {
  writtenRun(folder.path, 'b', { startedAt: '2026-01-01', failure: 'NaN', status: 'error' });
  writtenRun(folder.path, 'a', { startedAt: '2026-01-02', stopReason: 'enough', status: 'stopped' });
  expect(
    (await runs())
      .split('\n')
      .slice(1, 3)
      .map((line) => line.trim()[0]),
  ).toEqual(['b', 'a']);
  expect(JSON.parse(await runs('--json'))).toMatchObject([
    { id: 'b', status: 'error', failure: 'NaN', epochs: 0, seed: 1, backend: 'cpu' },
    { id: 'a', status: 'stopped', stopReason: 'enough', folder: folder.in('a') },
  ]);
});

test('nothing in a run steers the terminal', async () => {
  writtenRun(folder.path, 'a', { id: 'x\u001b[2J', status: 'completed' });
  expect(await runs()).not.toContain('\u001b');
});

test('hookline compare shows both numbers and what changed between them', async () => {
  writtenRun(folder.path, 'a', { metrics: { 'val/loss': 0.5, 'val/f1': 1, 'test/loss': 3 } });
  writtenRun(folder.path, 'b', { metrics: { 'val/loss': 0.25, 'val/f1': 1, 'val/new': 2 } });
  const { code, out } = await compare();
  expect(code).toBe(0);
  expect(lineOf(out, 'val/loss')).toEqual(['val/loss', '0.5', '0.25', '-0.25']);
  expect(lineOf(out, 'val/f1')).toEqual(['val/f1', '1', '1', 'same']);
  expect(lineOf(out, 'val/new')).toEqual(['val/new', '-', '2']);
  expect(lineOf(out, 'test/loss')).toEqual(['test/loss', '3', '-']);
});

test('how fast the machine was is not a metric of the training', async () => {
  const machine = { 'speed/steps': 1, 'memory/rss': 2, 'gpu/load': 3, 'checkpoint/seconds': 4 };
  writtenRun(folder.path, 'a', { metrics: { ...machine, 'val/loss': 1 } });
  writtenRun(folder.path, 'b', { metrics: { 'val/loss': 1 } });
  const { metrics } = JSON.parse((await compare('--json')).out);
  expect(metrics).toEqual([{ name: 'val/loss', a: 1, b: 1 }]);
});

test('settings, hooks and what was around them are listed where they differ, by their paths', async () => {
  const hook = { name: 'stopper', package: 'p', version: '1.0.0', enabled: true, options: { patience: 3 } };
  writtenRun(folder.path, 'a', { config: { optimizer: { lr: 0.1 }, hooks: ['x'] }, hooks: [hook] });
  writtenRun(folder.path, 'b', {
    config: { optimizer: { lr: 0.2 }, seed: 3 },
    hooks: [
      { ...hook, version: '2.0.0', options: { patience: 5 } },
      { name: 'mine', enabled: false },
    ],
    seed: 3,
    backend: { name: 'wasm' },
  });
  const { out } = await compare();
  expect(lineOf(out, 'optimizer.lr')).toEqual(['optimizer.lr', '0.1', '0.2']);
  expect(lineOf(out, 'stopper.setting.patience')?.slice(1)).toEqual(['3', '5']);
  expect(lineOf(out, 'stopper.version')?.slice(1)).toEqual(['"p@1.0.0"', '"p@2.0.0"']);
  expect(lineOf(out, 'mine')?.slice(1)).toEqual(['-', '{"setting":"off"}']);
  expect(lineOf(out, 'backend')?.slice(1)).toEqual(['"cpu"', '"wasm"']);
});

test('runs that are the same say so in every part', async () => {
  for (const id of ['a', 'b']) writtenRun(folder.path, id, {}, [numbersAt(1, { 'val/loss': 1 })]);
  const { out } = await compare();
  expect(out.match(/^(Config|Hooks|Around them): the same$/gm)).toHaveLength(3);
});

test('a record of another program is compared as far as it goes', async () => {
  writtenRun(folder.path, 'a');
  write(folder.path, { 'b/run.json': { id: 'b', config: 7, hooks: [null] } });
  const { code, out, err } = await compare();
  expect([code, err]).toEqual([0, '']);
  expect(lineOf(out, 'status')).toEqual(['status', 'completed', 'unknown']);
});

test.each([
  [[], 2, 'Which two runs? Name both.'],
  [['a'], 2, 'Which two runs? Name both.'],
  [['a', 'b', 'c'], 2, "Unexpected argument 'c'."],
  [['a', 'gone'], 1, 'There is no run "gone"'],
])('hookline compare %j ends with %i and says: %s', async (names, code, words) => {
  for (const id of ['a', 'b']) writtenRun(folder.path, id);
  expect(await hookline('compare', ...names, '--runs', folder.path)).toMatchObject({
    code,
    err: expect.stringContaining(words),
  });
});
