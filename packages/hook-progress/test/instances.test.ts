import type { Hook } from '@hookline/hook-api';
import { terminalKey } from '@hookline/hook-api/helpers';
import { consoleLog } from '@hookline/hook-logging';
import { namedHook, samples, tinyRun } from '@hookline/test-runs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progress } from '../src/index.js';
import { FakeTerminal } from './fake-terminal.js';

beforeEach(() => {
  vi.stubEnv('CI', '');
  vi.stubEnv('TERM', 'xterm');
  vi.stubEnv('TMUX', 'as the emulator: breaks all lines');
});
afterEach(() => vi.unstubAllEnvs());

const FIT = { train: samples(16), epochs: 2, batchSize: 2 };
const bars = (screen: string[]) => screen.filter((line) => /[█░]/.test(line)).length;

test('of two bars on the same stream one shows nothing and says so once, and the other is not disturbed', async () => {
  const terminal = new FakeTerminal();
  const second = namedHook(progress({ stream: terminal, refreshMs: 0 }), 'second-bar');
  const seen: number[] = [];
  const watch: Hook = { name: 'watch', onTrainBatchStart: () => void seen.push(bars(terminal.screen)) };
  const { trainer, complaints } = tinyRun([watch, progress({ stream: terminal, refreshMs: 0 }), second]);
  await trainer.fit(FIT);
  expect(complaints).toEqual([
    expect.stringMatching(
      /^\S+ shows nothing: "\S+" uses the same stream\. Give one of them another "stream"\.$/,
    ),
  ]);
  // One bar in the first epoch; in the second, the line of the first as well.
  expect(seen).toEqual([...Array(8).fill(1), ...Array(8).fill(2)]);
  expect(terminal.screen.map((line) => line.slice(0, 9))).toEqual(['epoch 1/2', 'epoch 2/2']);
});

test('the next run of the same trainer has its bar again', async () => {
  const terminal = new FakeTerminal();
  const { trainer, complaints } = tinyRun([progress({ stream: terminal, refreshMs: 0 })]);
  await trainer.fit(FIT);
  await trainer.test({ data: samples(4) });
  await trainer.fit(FIT);
  expect(complaints).toEqual([]);
  expect(terminal.screen).toHaveLength(4);
});

test('bars on two terminals are drawn on both, and console-log prints above both', async () => {
  const [left, right] = [new FakeTerminal(110), new FakeTerminal(120)];
  const screens: string[][] = [];
  const { trainer, complaints } = tinyRun([
    consoleLog({
      every: 4,
      write(text) {
        left.write(text);
        right.write(text);
      },
    }),
    progress({ stream: left, refreshMs: 0 }),
    namedHook(progress({ stream: right, refreshMs: 0 }), 'right'),
    { name: 'watch', onTrainBatchStart: () => void screens.push([...left.screen, '|', ...right.screen]) },
  ]);
  await trainer.fit({ ...FIT, epochs: 1 });
  expect(complaints).toEqual([]);
  // After four batches: the start, a line for the batches, and the bar; on both.
  expect(screens[4]!.map((line) => line.match(/^\||^run|batch 4\/8|[█░]/)?.[0].replace('░', '█'))).toEqual([
    ...['run', 'batch 4/8', '█', '|'],
    ...['run', 'batch 4/8', '█'],
  ]);
  for (const terminal of [left, right]) {
    expect(bars(terminal.screen)).toBe(0);
    expect(terminal.cursorVisible).toBe(true);
  }
});

test('a bar and plain lines go together', async () => {
  const terminal = new FakeTerminal();
  const file = Object.assign(new FakeTerminal(), { isTTY: false });
  let offered: unknown;
  const watch: Hook = {
    name: 'watch',
    onTrainEnd({ shared }) {
      offered = shared.get(terminalKey);
    },
  };
  const { trainer } = tinyRun([
    watch,
    progress({ stream: terminal }),
    namedHook(progress({ stream: file }), 'lines'),
  ]);
  await trainer.fit(FIT);
  expect(file.written.map((line) => line.slice(0, 9))).toEqual(['epoch 1/2', 'epoch 2/2']);
  expect(offered).toBeDefined();
});

test('when a bar is removed during the run, hooks print above the bar that is left', async () => {
  const [left, right] = [new FakeTerminal(), new FakeTerminal()];
  const [first, second] = [
    progress({ stream: left, refreshMs: 0 }),
    progress({ stream: right, refreshMs: 0 }),
  ];
  let below: string[] = [];
  const removes: Hook = {
    name: 'removes',
    async onTrainBatchStart(ctx, { batchIndex }) {
      if (batchIndex === 3) await run.trainer.hooks.manager.remove('second');
      if (batchIndex !== 5) return;
      ctx.shared.get(terminalKey)!.above(() => left.write('a line\n'));
      below = left.screen;
    },
  };
  const run = tinyRun([removes, first, namedHook(second, 'second')]);
  await run.trainer.fit({ ...FIT, epochs: 1 });
  expect(below).toEqual(['a line', expect.stringMatching(/^epoch 1\/1 .*[█░]/)]);
  expect(right.cursorVisible).toBe(true);
});
