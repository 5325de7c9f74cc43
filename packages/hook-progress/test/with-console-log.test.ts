import type { Hook } from '@hookline/hook-api';
import { consoleLog } from '@hookline/hook-logging';
import { samples, tinyRun } from '@hookline/test-runs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progress } from '../src/index.js';
import { FakeTerminal } from './fake-terminal.js';

beforeEach(() => {
  vi.stubEnv('CI', '');
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const plan = (epochs: number) => ({ train: samples(80), epochs, batchSize: 2 });

test('on one terminal the lines of console-log are above the bar, whole, and the bar leaves no lines', async () => {
  const terminal = new FakeTerminal(120);
  const screens: string[][] = [];
  const { trainer } = tinyRun([
    consoleLog({ write: (text) => void terminal.write(text) }),
    progress({ stream: terminal, refreshMs: 0 }),
    { name: 'watch', onTrainBatchStart: () => void screens.push(terminal.screen) },
  ]);
  await trainer.fit(plan(2));
  const kinds = (screen: string[]) =>
    screen.map((line) => line.match(/^(run|epoch \d\/2 {2}(?:batch|train|[█░])|completed)/)?.[0].trim());
  // After 10 of the 40 batches of the first epoch: start line, one batch line, the bar.
  expect(kinds(screens[10]!)).toEqual([
    'run',
    'epoch 1/2  batch',
    expect.stringMatching(/^epoch 1\/2 {2}[█░]$/),
  ]);
  expect(kinds(terminal.screen)).toEqual([
    'run',
    ...Array(4).fill('epoch 1/2  batch'),
    'epoch 1/2  train',
    ...Array(4).fill('epoch 2/2  batch'),
    'epoch 2/2  train',
    'completed',
  ]);
});

test('where no bar can be drawn only console-log prints', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const slow: Hook = { name: 'slow', onTrainBatchStart: () => void vi.advanceTimersByTime(1000) };
  const stream = Object.assign(new FakeTerminal(), { isTTY: false });
  const { trainer } = tinyRun([slow, consoleLog({ write: () => {} }), progress({ stream })]);
  await trainer.fit(plan(2));
  expect(stream.written).toEqual([]);
  trainer.disableHook('console-log');
  await trainer.fit(plan(2));
  expect(stream.written).toHaveLength(20);
});

test('a console-log that is switched off during the run leaves the lines to progress from the next epoch on', async () => {
  // On a slow machine an epoch could take long enough for more lines.
  vi.useFakeTimers({ toFake: ['performance'] });
  const stream = Object.assign(new FakeTerminal(), { isTTY: false });
  const run = tinyRun([
    consoleLog({ write: () => {} }),
    progress({ stream }),
    { name: 'switch', onEpochEnd: () => run.trainer.disableHook('console-log') },
  ]);
  await run.trainer.fit(plan(3));
  expect(stream.written.map((line) => line.slice(0, 9))).toEqual(['epoch 2/3', 'epoch 3/3']);
});
