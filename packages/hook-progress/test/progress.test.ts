import type { BatchEvent, Hook } from '@hookline/hook-api';
import { terminalKey } from '@hookline/hook-api/helpers';
import { drivenHook, memoryCheckpoint, readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progress } from '../src/index.js';
import { FakeTerminal } from './fake-terminal.js';

beforeEach(() => {
  vi.stubEnv('CI', '');
  vi.stubEnv('TERM', 'xterm');
  vi.stubEnv('TMUX', 'as the emulator: breaks all lines');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The clock stands still, but for the milliseconds that every batch takes. */
function clockPerBatch(milliseconds: number): Hook {
  vi.useFakeTimers({ toFake: ['performance'] });
  const tick = () => void vi.advanceTimersByTime(milliseconds);
  return { name: 'clock', onTrainBatchStart: tick, onValidationBatchStart: tick, onTestBatchStart: tick };
}

/** Looks at the screen at every event of this name. */
function watch(
  terminal: FakeTerminal,
  event: keyof Hook & `on${string}`,
): { hook: Hook; screens: string[][] } {
  const screens: string[][] = [];
  return { hook: { name: `watch-${event}`, [event]: () => void screens.push(terminal.screen) }, screens };
}

test('on a terminal the bar shows epoch, share, batches, rate, ETA, loss, lr and validation metrics', async () => {
  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onTrainBatchStart');
  const { trainer } = tinyRun([hook, clockPerBatch(100), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 });
  expect(screens[60]!.at(-1)).toMatch(
    /^epoch 2\/2 {2}█{15}░{15} {3}50% {2}20\/40 {2}10.0 batch\/s {2}ETA 0:02 {2}loss \d\.\d+ {2}lr 0.01 {2}val\/loss \d\.\d+$/,
  );
});

test('while there are epochs to come the time to the end of the run is shown too', async () => {
  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onTrainBatchStart');
  const { trainer } = tinyRun([hook, clockPerBatch(1000), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(80), epochs: 3, batchSize: 2 });
  expect(screens[20]!.at(-1)).toContain('ETA 0:20  run 1:40');
  expect(screens[100]!.at(-1)).toMatch(/ETA 0:20 {2}loss/);
});

test('every epoch leaves a line with its metrics; at the end the bar is gone and the cursor is back', async () => {
  const terminal = new FakeTerminal(150);
  const { trainer } = tinyRun([clockPerBatch(100), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 });
  expect(terminal.screen).toEqual([
    expect.stringMatching(
      /^epoch 1\/2 {2}█{30} {2}100% {2}40\/40 {2}10.0 batch\/s {2}took 0:04 {2}train\/loss \S+ {2}val\/loss \S+$/,
    ),
    expect.stringMatching(/^epoch 2\/2 {2}█{30} {2}100% {2}40\/40/),
  ]);
  expect(terminal.cursorVisible).toBe(true);
});

test('validation has its own bar below that of the epoch, and leaves no trace of it', async () => {
  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onValidationBatchEnd');
  const { trainer } = tinyRun([hook, clockPerBatch(200), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(8), validation: samples(20), epochs: 2, batchSize: 2 });
  expect(screens[9]!).toEqual([
    expect.stringMatching(
      /^epoch 1\/2 {3}█{30} {2}100% {2}4\/4 {2}5.00 batch\/s {2}run 0:0\d {2}loss \S+ {2}lr 0.01$/,
    ),
    expect.stringMatching(/^validating {2}█{27}░{3} {3}90% {3}9\/10 {2}5.00 batch\/s {2}ETA 0:00$/),
  ]);
  expect(screens[15]!).toEqual([
    expect.stringMatching(
      /^epoch 1\/2 {2}█{30} {2}100% {2}4\/4 .* took 0:0\d {2}train\/loss \S+ {2}val\/loss \S+$/,
    ),
    expect.stringMatching(/^epoch 2\/2 {3}█{30} {2}100% {2}4\/4 .* loss \S+ {2}lr 0.01 {2}val\/loss \S+$/),
    expect.stringMatching(/^validating {2}█{15}░{15} {3}50% {3}5\/10 {2}5.00 batch\/s {2}ETA 0:01$/),
  ]);
  expect(terminal.screen).toEqual([
    expect.stringMatching(/^epoch 1\/2 {2}█{30} {2}100%/),
    expect.stringMatching(/^epoch 2\/2 {2}█{30} {2}100%/),
  ]);
});

test('nothing flickers: a frame is one write that erases nothing but what is behind its lines', async () => {
  const terminal = new FakeTerminal(60, { rows: 10 });
  const { trainer } = tinyRun([clockPerBatch(200), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(40), validation: samples(40), epochs: 3, batchSize: 2 });
  const frames = terminal.written.filter((text) => /[█░]/.test(text) && !text.endsWith('\n'));
  expect(frames.length).toBeGreaterThan(100);
  const esc = String.fromCharCode(27);
  for (const frame of frames) {
    // To the start of the first line, then lines: each is written whole before the rest of its row is erased.
    const [start, ...rest] = frame.split('\r');
    expect([``, `${esc}[1A`]).toContain(start);
    expect(rest).toHaveLength(1);
    for (const line of rest[0]!.split('\n')) {
      expect(line.split(esc)).toEqual([
        expect.stringMatching(/^(epoch|validating) /),
        expect.stringMatching(/^\[[KJ]$/),
      ]);
    }
  }
  // The rest: the cursor goes and comes, and three lines stay.
  const others = terminal.written.filter((text) => !frames.includes(text));
  expect(others).toHaveLength(5);
  expect(terminal.written.join('')).not.toContain(`${esc}[2J`);
});

test('two bars on a terminal that becomes narrower and wider leave nothing broken behind', async () => {
  const terminal = new FakeTerminal(110, { rows: 20 });
  const widths = [40, 90, 25, 110, 12];
  let validations = 0;
  const resizes: Hook = {
    name: 'resizes',
    onValidationBatchEnd: () => {
      if (validations++ % 7 === 3) terminal.resize(widths[Math.floor(validations / 7) % widths.length]!);
    },
  };
  const { trainer } = tinyRun([resizes, clockPerBatch(200), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(20), validation: samples(20), epochs: 4, batchSize: 2 });
  terminal.resize(110);
  expect(terminal.screen.map((line) => /^epoch \d\/4/.exec(line)?.[0])).toEqual([
    'epoch 1/4',
    'epoch 2/4',
    'epoch 3/4',
    'epoch 4/4',
  ]);
  expect(terminal.cursorVisible).toBe(true);
});

test('a test whose number of batches is known has a bar at once; a wrong number is dropped', () => {
  const terminal = new FakeTerminal(100);
  const hook = progress({ stream: terminal, refreshMs: 0 });
  const { fire } = drivenHook(hook, { state: { stage: 'test', status: 'testing' } });
  const batch = (batchIndex: number) => {
    fire('onTestBatchStart', { batchIndex } as BatchEvent);
    return terminal.screen.at(-1);
  };
  fire('setup', { stage: 'test' });
  fire('onTestStart', { stage: 'test', batches: 4 });
  expect(batch(1)).toMatch(/^test {2}█+░+ {3}25% {2}1\/4/);
  expect(batch(5)).toMatch(/^test {2}batch 5/);
  fire('teardown', { stage: 'test' });
  expect(terminal.screen).toEqual([]);
});

test('a bar that is switched off during the run goes away, and comes back when it is switched on', async () => {
  const terminal = new FakeTerminal(100);
  const seen: string[] = [];
  const switches: Hook = {
    name: 'switches',
    async onTrainBatchStart(ctx, { batchIndex }) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      const isGone = terminal.screen.length === 0;
      if (seen.length === 0 && batchIndex === 5 && !isGone) {
        seen.push('drawn');
        run.trainer.disableHook('progress');
      }
      if (seen.length === 1 && isGone) {
        seen.push(terminal.cursorVisible ? 'gone' : 'gone, with the cursor');
        // Whoever prints now finds no bar to go around.
        ctx.shared.get(terminalKey)!.above(() => terminal.write('a line\n'));
        expect(terminal.screen).toEqual(['a line']);
        run.trainer.enableHook('progress');
      }
      if (seen.length === 2 && terminal.screen.length > 1) ctx.stop(seen.join());
    },
  };
  const run = tinyRun([switches, progress({ stream: terminal })]);
  const { stopReason } = await run.trainer.fit({ train: samples(4000), epochs: 1, batchSize: 2 });
  expect(stopReason).toBe('drawn,gone');
});

test('slow batches and slow hooks are not taken for being switched off', async () => {
  const terminal = new FakeTerminal(100);
  /** Bars on the screen. */
  const screens: number[] = [];
  const slowly = async () => {
    await new Promise((resolve) => setTimeout(resolve, 250));
    screens.push(terminal.screen.length);
  };
  // One that is called before the bar is, and one that is called after it.
  const before: Hook = { name: 'before', onTrainBatchStart: slowly, onValidationBatchStart: slowly };
  const after: Hook = { name: 'checkpoint', onTrainBatchEnd: slowly, onValidationEnd: slowly };
  const { trainer } = tinyRun([before, progress({ stream: terminal, refreshMs: 0 }), after]);
  await trainer.fit({ train: samples(4), validation: samples(2), epochs: 1, batchSize: 2 });
  expect(screens).toEqual([1, 1, 1, 1, 2, 1]);
});

test('a long validation in the middle of an epoch does not slow the rate', async () => {
  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onTrainBatchStart');
  const asks: Hook = {
    name: 'asks',
    onTrainBatchEnd: (ctx, { batchIndex }) => (batchIndex === 9 ? ctx.requestValidation() : undefined),
    onValidationStart: () => void vi.advanceTimersByTime(60_000),
  };
  const { trainer } = tinyRun([hook, asks, clockPerBatch(100), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(80), validation: samples(8), epochs: 1, batchSize: 2 });
  expect(screens[15]!.at(-1)).toMatch(/15\/40 {2}10.0 batch\/s/);
});

test('epochs of a few milliseconds do not make the bar flicker', async () => {
  const terminal = new FakeTerminal(150);
  const { trainer } = tinyRun([clockPerBatch(1), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(4), validation: samples(4), epochs: 10, batchSize: 2 });
  expect(terminal.written.filter((text) => text.startsWith('\repoch'))).toHaveLength(1);
  expect(terminal.screen).toHaveLength(10);
});

test('test() and predict() have a bar too, which leaves nothing behind', async () => {
  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onTestBatchEnd');
  const { trainer } = tinyRun([hook, clockPerBatch(200), progress({ stream: terminal })]);
  await trainer.test({ data: samples(20), batchSize: 2 });
  expect(screens[9]!.at(-1)).toBe(`test  ${'█'.repeat(27)}░░░   90%   9/10  5.00 batch/s  ETA 0:00`);
  tf.dispose(await trainer.predict({ data: samples(20), batchSize: 2 }));
  expect(terminal.screen).toEqual([]);
  expect(terminal.cursorVisible).toBe(true);
});

test('an unknown number of batches works', async () => {
  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onTrainBatchStart');
  const { trainer } = tinyRun([hook, clockPerBatch(200), progress({ stream: terminal })]);
  async function* stream() {
    for (let i = 0; i < 6; i++) yield samples(2);
  }
  await trainer.fit({ train: stream, epochs: 1 });
  expect(screens[5]!.at(-1)).toMatch(/^epoch 1\/1 {2}batch 5 {2}5.00 batch\/s {2}loss/);
  expect(terminal.screen[0]).toMatch(/^epoch 1\/1 {2}batch 6 {2}/);
});

test('the bar is redrawn at most every refreshMs, and a batch in between reads nothing from the device', async () => {
  const without = await readsPerBatch([], 40);
  const drawing = async (refreshMs: number) => {
    const terminal = new FakeTerminal(150);
    const counts = await readsPerBatch([clockPerBatch(10), progress({ stream: terminal, refreshMs })], 40);
    return {
      reading: counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch])),
      draws: terminal.written.filter((text) => text.includes('epoch 1/1')).length,
    };
  };
  // Besides batches, the beginning of the epoch and its end are drawn.
  expect(await drawing(100)).toEqual({ reading: [9, 19, 29, 39], draws: 6 });
  expect(await drawing(10_000)).toEqual({ reading: [], draws: 2 });
});

test('rate and ETA are right for a run that is resumed in the middle of an epoch', async () => {
  const checkpoint = memoryCheckpoint();
  const plan = { train: samples(80), epochs: 3, batchSize: 2 };
  await tinyRun([checkpoint.saves({ batch: 19 })]).trainer.fit(plan);

  const terminal = new FakeTerminal(150);
  const { hook, screens } = watch(terminal, 'onTrainBatchStart');
  const { trainer } = tinyRun([
    checkpoint.resumes,
    hook,
    clockPerBatch(1000),
    progress({ stream: terminal }),
  ]);
  await trainer.fit({ ...plan, resume: 'auto' });
  expect(screens[10]!.at(-1)).toContain('30/40  1.00 batch/s  ETA 0:10  run 1:30');
});

test('a loop of trainingStep() has a bar too', async () => {
  const terminal = new FakeTerminal(150);
  const { trainer } = tinyRun([clockPerBatch(200), progress({ stream: terminal })]);
  const batch = samples(2);
  for (let i = 0; i < 5; i++) await trainer.trainingStep(batch);
  expect(terminal.screen.at(-1)).toMatch(/^epoch 1 {2}batch 5 {2}5.00 batch\/s {2}loss \S+ {2}lr 0.01$/);
  await trainer.close();
  expect(terminal.screen).toEqual([]);
});

test('a run that is stopped or fails shows the cursor again and leaves no bar', async () => {
  const stopper: Hook = { name: 'stopper', onTrainBatchEnd: (ctx) => ctx.stop('enough\x1b[2J') };
  const stopped = new FakeTerminal(100);
  await tinyRun([stopper, progress({ stream: stopped })]).trainer.fit({
    train: samples(80),
    epochs: 1,
    batchSize: 2,
  });
  expect(stopped.cursorVisible).toBe(true);
  expect(stopped.screen.at(-1)).toBe('stopped: enough [2J');

  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onTrainBatchEnd: () => {
      throw new Error('broken');
    },
  };
  const failed = new FakeTerminal(100);
  const run = tinyRun([failing, progress({ stream: failed })]).trainer.fit({
    train: samples(80),
    epochs: 1,
    batchSize: 2,
  });
  await expect(run).rejects.toThrow('broken');
  expect(failed.cursorVisible).toBe(true);
  expect(failed.screen).toEqual([]);
});

test.each([
  ['a stream that is not a terminal', { isTTY: false }, {}],
  ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }],
  ['a build server', { isTTY: true }, { CI: 'true' }],
])('%s gets plain lines: a few per epoch, and one for each epoch', async (_name, stream, env) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const terminal = Object.assign(new FakeTerminal(20), stream);
  const { trainer } = tinyRun([clockPerBatch(1000), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(80), epochs: 2, batchSize: 2 });
  const lines = terminal.written.join('').trimEnd().split('\n');
  expect(lines).toHaveLength(2 * 10);
  expect(lines[0]).toMatch(
    /^epoch 1\/2 {3}10% {2} 4\/40 {2}1.00 batch\/s {2}ETA 0:36 {2}run 1:16 {2}loss \S+ {2}lr 0.01$/,
  );
  expect(lines[9]).toMatch(/^epoch 1\/2 {2}100% {2}40\/40 {2}1.00 batch\/s {2}took 0:40 {2}train\/loss \S+$/);
  expect(terminal.written.join('')).not.toMatch(/\p{Control}(?<!\n)/u);
});

test('a fast epoch has its own plain line only, and reads nothing for it', async () => {
  const terminal = Object.assign(new FakeTerminal(), { isTTY: false });
  const { trainer } = tinyRun([clockPerBatch(1), progress({ stream: terminal })]);
  await trainer.fit({ train: samples(80), epochs: 3, batchSize: 2 });
  expect(terminal.written.map((line) => line.slice(0, 9))).toEqual(['epoch 1/3', 'epoch 2/3', 'epoch 3/3']);
});

test('an unknown option is reported with the nearest name', () => {
  expect(() => progress({ refresh: 3 } as never)).toThrow(
    /unknown option "refresh".*Did you mean "refreshMs"\?/,
  );
});
