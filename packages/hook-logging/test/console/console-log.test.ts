import { type Hook, sharedKey } from '@hookline/hook-api';
import { consoleKey, terminalKey } from '@hookline/hook-api/helpers';
import { memoryCheckpoint, readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { TEST_BACKEND } from '@hookline/test-support';
import type { FitOptions, TrainerOptions } from '@hookline/trainer';
import { afterEach, expect, test, vi } from 'vitest';
import { type ConsoleLogOptions, consoleLog } from '../../src/index.js';

afterEach(() => vi.restoreAllMocks());

/** The lines that a run of 40 batches prints, without what differs from run to run: id, rate and time. */
async function linesOf(
  options: ConsoleLogOptions = {},
  {
    hooks = [],
    trainer = {},
    fit = {},
  }: { hooks?: Hook[]; trainer?: Partial<TrainerOptions>; fit?: Partial<FitOptions> } = {},
): Promise<string[]> {
  const chunks: string[] = [];
  const hook = consoleLog({ ...options, write: (chunk) => chunks.push(chunk) });
  const run = tinyRun([...hooks, hook], trainer);
  await run.trainer.fit({ train: samples(80), epochs: 1, batchSize: 2, ...fit }).catch(() => {});
  return stable(chunks.join(''));
}

function stable(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replace(/^run \S+/, 'run ID')
        .replace(/ *[\d.]+ batch\/s/, '  N batch/s')
        .replace(/[\d.]+ s\b/, 'T s'),
    );
}

const NUMBER = ' *-?\\d+\\.\\d+';

test('a run has a line at its start, every 10 batches, after each epoch and at its end', async () => {
  const lines = await linesOf(
    {},
    { fit: { validation: samples(8), epochs: 2 }, trainer: { metrics: ['meanAbsoluteError'] } },
  );
  const batch = (epoch: number, count: number) =>
    new RegExp(
      `^epoch ${epoch}/2  batch ${count}/40  loss ${NUMBER}  avg ${NUMBER}  meanAbsoluteError ${NUMBER}  lr 0\\.01  N batch/s$`,
    );
  const epoch = (count: number) =>
    new RegExp(
      `^epoch ${count}/2  train loss ${NUMBER} meanAbsoluteError ${NUMBER}  val loss ${NUMBER} meanAbsoluteError ${NUMBER}  T s$`,
    );
  const expected = [
    new RegExp(`^run ID {2}backend ${TEST_BACKEND} {2}17 parameters {2}2 epochs of 40 batches$`),
    ...[10, 20, 30, 40].map((count) => batch(1, count)),
    epoch(1),
    ...[10, 20, 30, 40].map((count) => batch(2, count)),
    epoch(2),
    /^completed after 2 epochs, 80 steps, T s$/,
  ];
  expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});

test('"every" counts batches, also when several make one step', async () => {
  const lines = await linesOf({ every: 16 }, { trainer: { accumulate: 8 } });
  expect(
    lines.filter((line) => line.includes('batch ')).map((line) => line.match(/batch (\d+)/)?.[1]),
  ).toEqual(['16', '32']);
  expect(lines.at(-1)).toContain('after 1 epoch, 5 steps');
});

test('a batch without a line reads nothing from the device', async () => {
  const without = await readsPerBatch([], 40);
  const reading = async (every: number) => {
    const counts = await readsPerBatch([consoleLog({ every, write: () => {} })], 40);
    return counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]));
  };
  expect(await reading(10)).toEqual([9, 19, 29, 39]);
  expect(await reading(41)).toEqual([]);
});

test('an unknown number of batches is left out', async () => {
  async function* stream() {
    for (let i = 0; i < 5; i++) yield samples(2);
  }
  const lines = await linesOf({ every: 5 }, { fit: { train: stream } });
  expect(lines[0]).toMatch(/1 epoch$/);
  expect(lines[1]).toMatch(/^epoch 1\/1 {2}batch 5 {2}loss/);
});

test('only the metrics that were asked for are printed', async () => {
  const lines = await linesOf(
    { metrics: ['val/*', 'train/meanAbsoluteError'] },
    { fit: { validation: samples(8) }, trainer: { metrics: ['meanAbsoluteError'] } },
  );
  expect(lines[1]).toMatch(/^epoch 1\/1 {2}batch 10\/40 {2}meanAbsoluteError +\S+ {2}lr 0.01 {2}N batch\/s$/);
  expect(lines.at(-2)).toMatch(
    /^epoch 1\/1 {2}train meanAbsoluteError +\S+ {2}val loss +\S+ meanAbsoluteError +\S+ {2}T s$/,
  );
});

test('what other hooks log is printed: with the next batch line, or at the end of the epoch', async () => {
  const logs: Hook = {
    name: 'logs',
    onTrainBatchEnd(ctx, { batchIndex }) {
      if (batchIndex === 3 || batchIndex === 38) ctx.log({ 'grad/norm': batchIndex + 0.5 });
    },
    onEpochEnd: (ctx) => ctx.log({ 'mine/score': 0.5 }),
    onTrainEnd: (ctx) => ctx.log({ 'mine/total': 7 }),
  };
  const lines = await linesOf({ every: 15 }, { hooks: [logs] });
  expect(lines[1]).toMatch(/batch 15\/40 .* grad norm {4}3.500 {2}lr/);
  expect(lines[3]).toMatch(/^epoch 1\/1 {2}train loss +\S+ {2}grad norm {4}38.50 {2}T s$/);
  expect(lines[4]).toBe('epoch 1/1  mine score 0.5000');
  expect(lines[6]).toBe('epoch 1/1  mine total 7');
});

test('a validation in the middle of an epoch is printed with the next batch line', async () => {
  const asks: Hook = {
    name: 'asks',
    onTrainBatchEnd: (ctx, { batchIndex }) => (batchIndex === 4 ? ctx.requestValidation() : undefined),
  };
  const lines = await linesOf({}, { hooks: [asks], fit: { validation: samples(8) } });
  expect(lines[1]).toMatch(/batch 10\/40 .* val loss +\S+ {2}lr/);
  expect(lines[2]).not.toContain('val');
});

test('a skipped batch and a NaN loss are shown as such', async () => {
  const skips: Hook = {
    name: 'skips',
    onTrainBatchStart: (ctx) => (ctx.state.batchIndex === 9 ? ctx.skipBatch() : undefined),
  };
  const skipped = await linesOf({}, { hooks: [skips] });
  expect(skipped[1]).toMatch(/^epoch 1\/1 {2}batch 10\/40 {2}skipped {2}lr/);
  const broken = await linesOf({}, { trainer: { optimizer: { name: 'sgd', lr: 1e30 } } });
  expect(broken[4]).toMatch(/loss +NaN {2}avg +NaN/);
});

test('a run that is stopped or fails says when and why', async () => {
  const stopper: Hook = { name: 'stopper', onTrainBatchEnd: (ctx) => ctx.stop('enough for today') };
  expect((await linesOf({}, { hooks: [stopper] })).at(-1)).toBe(
    'stopped in epoch 1/1, after 1 step, T s: enough for today',
  );
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: () => {
      throw new Error('no more');
    },
  };
  expect((await linesOf({}, { hooks: [failing] })).at(-1)).toBe(
    'failed after 1 epoch, 40 steps, T s: no more',
  );
});

test('an epoch that is cut short does not print like a whole one', async () => {
  const epochsOf = async (fit: Partial<FitOptions>) =>
    (await linesOf({ every: false }, { fit: { epochs: 3, ...fit } })).filter((line) => /^epoch/.test(line));
  expect(await epochsOf({ maxSteps: 47 })).toEqual([
    expect.stringMatching(/^epoch 1\/3 {2}train loss/),
    expect.stringMatching(/^epoch 2\/3 {2}cut short after batch 7\/40 {2}train loss/),
  ]);
  expect(await epochsOf({ maxSteps: 40 })).toEqual([expect.not.stringContaining('cut short')]);
});

test('an epoch that is stopped before its first batch says so', async () => {
  const stopper: Hook = {
    name: 'stopper',
    onEpochStart: (ctx, { epoch }) => (epoch === 1 ? ctx.stop('enough') : undefined),
  };
  const lines = await linesOf({ every: false }, { hooks: [stopper], fit: { epochs: 3 } });
  expect(lines.at(-2)).toMatch(/^epoch 2\/3 {2}cut short before its first batch/);
});

test('a run that is cut short says in which epoch, on one line however many epochs there are', async () => {
  const stopper: Hook = {
    name: 'stopper',
    onStepEnd: (ctx, { step }) => (step === 45 ? ctx.stop('reached maxSteps (45)') : undefined),
  };
  const lines = await linesOf({}, { hooks: [stopper], fit: { epochs: 100 } });
  expect(lines.at(-1)).toBe('stopped in epoch 2/100, after 45 steps, T s: reached maxSteps (45)');
});

test('a test that fails says how long it took, and nothing of epochs', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onTestEnd: () => {
      throw new Error('no more');
    },
  };
  const chunks: string[] = [];
  const { trainer } = tinyRun([failing, consoleLog({ write: (chunk) => chunks.push(chunk) })]);
  await trainer.test({ data: samples(4) }).catch(() => {});
  expect(stable(chunks.join('')).at(-1)).toBe('failed after T s: no more');
});

test('a reason or a name stays on its line and cannot steer the terminal', async () => {
  const stopper: Hook = { name: 'stopper', onTrainBatchEnd: (ctx) => ctx.stop('two\nlines\x1b[2J') };
  const lines = await linesOf({}, { hooks: [stopper] });
  expect(lines.at(-1)).toMatch(/: two lines \[2J$/);
});

test('a resumed run says where it continues', async () => {
  const checkpoint = memoryCheckpoint();
  await linesOf({}, { hooks: [checkpoint.saves({ epoch: 0 })] });
  const lines = await linesOf({}, { hooks: [checkpoint.resumes], fit: { epochs: 2, resume: 'auto' } });
  expect(lines[0]).toMatch(/2 epochs of 40 batches {2}from epoch 2, step 40$/);
  expect(lines[1]).toMatch(/^epoch 2\/2 {2}batch 10\/40 /);
});

test('a resumed run that has nothing left to train says so, and names no epoch beyond the last', async () => {
  const checkpoint = memoryCheckpoint();
  await linesOf({}, { hooks: [checkpoint.saves({ epoch: 0 })] });
  const lines = await linesOf({}, { hooks: [checkpoint.resumes], fit: { epochs: 1, resume: 'auto' } });
  expect(lines[0]).toMatch(/1 epoch of 40 batches {2}nothing left to train$/);
  expect(lines.at(-1)).toBe('completed after 1 epoch, 40 steps, T s');
});

test('the rate is that of the last second or two, and validation does not slow it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const clock: Hook = {
    name: 'clock',
    onTrainBatchEnd: (ctx) => void vi.advanceTimersByTime(ctx.state.epoch === 0 ? 100 : 50),
    onValidationBatchStart: () => void vi.advanceTimersByTime(60_000),
  };
  const chunks: string[] = [];
  const { trainer } = tinyRun([clock, consoleLog({ every: 40, write: (chunk) => chunks.push(chunk) })]);
  await trainer.fit({ train: samples(160), validation: samples(2), epochs: 2, batchSize: 2 });
  vi.useRealTimers();
  const rates = chunks.join('').match(/\S+ batch\/s/g);
  expect(rates).toEqual(['10.0 batch/s', '10.0 batch/s', '20.0 batch/s', '20.0 batch/s']);
  expect(chunks.join('')).toMatch(/epoch 1\/2 {2}train .* 1:08\n/);
});

test('numbers line up however many digits they have', async () => {
  const losses = [0.5, 0.012345, 123.4, 0.0001234, 3, 12345];
  const loses: Hook = {
    name: 'loses',
    onTrainBatchEnd: (ctx, { batchIndex }) => ctx.log({ 'my/value': losses[batchIndex % losses.length]! }),
  };
  const lines = await linesOf({ every: 1 }, { hooks: [loses] });
  const columns = lines
    .filter((line) => /batch .*my value/.test(line))
    .map((line) => [line.indexOf('avg'), line.indexOf('my'), line.indexOf('lr')].join());
  expect(new Set(columns).size).toBe(1);
});

test('"every: false" leaves the lines of epochs, and reads nothing for batches', async () => {
  const lines = await linesOf({ every: false }, { fit: { epochs: 2 } });
  expect(lines.map((line) => line.slice(0, 9))).toEqual(['run ID  b', 'epoch 1/2', 'epoch 2/2', 'completed']);
  const without = await readsPerBatch([], 40);
  expect(await readsPerBatch([consoleLog({ every: false, write: () => {} })], 40)).toEqual(without);
});

test('other hooks can see that this epoch is printed, and a bar at the bottom is asked to make room', async () => {
  const seen: unknown[] = [];
  const order: string[] = [];
  const terminal = {
    above(write: () => void) {
      order.push('line away');
      write();
      order.push('line back');
    },
  };
  const other: Hook = {
    name: 'other',
    setup: (ctx) => ctx.shared.set(sharedKey('hookline.terminal'), terminal),
    onEpochEnd: (ctx) => void seen.push(ctx.shared.get(consoleKey)),
  };
  const { trainer } = tinyRun([other, consoleLog({ write: () => order.push('print') })]);
  await trainer.fit({ train: samples(2), epochs: 2 });
  expect(seen).toEqual([{ epoch: 0 }, { epoch: 1 }]);
  expect(order).toEqual(Array(4).fill(['line away', 'print', 'line back']).flat());
});

test('validate() and test() have a line each', async () => {
  const chunks: string[] = [];
  const { trainer } = tinyRun([consoleLog({ write: (chunk) => chunks.push(chunk) })]);
  await trainer.validate({ data: samples(4) });
  await trainer.test({ data: samples(4) });
  expect(chunks.join('')).toMatch(/^val loss \S+\ntest loss \S+\n$/);
});

test('lines go to standard output by default', async () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  const { trainer } = tinyRun([consoleLog()]);
  await trainer.fit({ train: samples(4), epochs: 1 });
  vi.restoreAllMocks();
  expect(written.join('')).toMatch(/^run \S+ .*\nepoch 1\/1 .*\ncompleted .*\n$/);
});

test('an unknown option is reported with the nearest name', () => {
  expect(() => consoleLog({ evry: 3 } as never)).toThrow(/unknown option "evry".*Did you mean "every"\?/);
  expect(() => consoleLog({ every: 0 })).toThrow(/"every" must be a whole number of at least 1 or false/);
});

test('series of single parameters stay off the screen, unless they are asked for', async () => {
  const monitor: Hook = {
    name: 'monitor',
    onStepEnd: (ctx) => ctx.log({ 'grad/norm': 2.5, 'grad/norm/dense/kernel': 3, 'lr/adam': 0.1 }),
  };
  const plain = await linesOf({}, { hooks: [monitor] });
  expect(plain[1]).toContain('grad norm    2.500');
  expect(plain.join('\n')).not.toMatch(/dense|lr adam/);
  const asked = await linesOf({ metrics: ['grad/**'] }, { hooks: [monitor] });
  expect(asked[1]).toContain('norm/dense/kernel');
});

const bar: Hook = {
  name: 'bar',
  setup: (ctx) => ctx.shared.set(terminalKey, { above: (write) => write() }),
};

/** What a run of 40 batches prints on a terminal, or to a file. */
async function printed(options: ConsoleLogOptions, hooks: Hook[], isTerminal: boolean): Promise<string> {
  const chunks: string[] = [];
  const before = process.stdout.isTTY;
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => chunks.push(String(chunk)) > 0);
  process.stdout.isTTY = isTerminal;
  try {
    await tinyRun([...hooks, consoleLog(options)]).trainer.fit({
      ...{ train: samples(80), epochs: 1, batchSize: 2 },
    });
  } finally {
    process.stdout.isTTY = before;
    vi.restoreAllMocks();
  }
  return chunks.join('');
}

test('beside a bar on the terminal it prints epochs only: the bar shows the batches', async () => {
  const beside = await printed({}, [bar], true);
  expect(beside).toMatch(/^epoch 1\/1 {2}train loss/m);
  expect(beside).not.toContain('batch 10/40');
  expect(await printed({}, [], true)).toContain('batch 10/40');
});

test('a file gets the batches also while a bar is on the terminal, and so does who asks for a rate', async () => {
  expect(await printed({}, [bar], false)).toContain('batch 10/40');
  expect(await printed({ every: 20 }, [bar], true)).toContain('batch 20/40');
});
