import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { command, jobLine } from '../src/command.js';
import { endEntry } from '../src/journal/entries.js';
import { openSweep } from '../src/open-sweep.js';
import { uniform } from '../src/space.js';
import { sweepOf } from '../src/sweep-config.js';
import { sweepProject } from './sweep-project.js';

const folder = folderPerTest();

async function hooklineSweep(...args: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const code = await command.run(args, (text) => {
    said += text;
  });
  return { code, said };
}

const twoTrials = () =>
  sweepProject(folder.in('.'), `space: { 'optimizer.lr': choice(0.1, 0.2) }, search: 'grid'`);

test('a queue takes one job after the other, and learns when there is none', async () => {
  const file = await twoTrials();
  const first = await hooklineSweep('next', file, '--json');
  expect(JSON.parse(first.said)).toEqual({
    status: 'taken',
    trial: 0,
    point: { 'optimizer.lr': 0.1 },
    rung: 0,
    epochs: 1,
    command: `hookline sweep run ${file} --trial 0`,
  });
  expect(await hooklineSweep('next', file)).toEqual({
    code: 0,
    said: `hookline sweep run ${file} --trial 1\n`,
  });
  const none = await hooklineSweep('next', file, '--json');
  expect([none.code, JSON.parse(none.said)]).toEqual([3, { status: 'wait' }]);
});

test('the results list every trial with its point, also those that are training', async () => {
  const file = await twoTrials();
  await hooklineSweep('next', file);
  const { code, said } = await hooklineSweep('results', file, '--json');
  expect(code).toBe(0);
  const { monitor, mode, trials } = JSON.parse(said);
  expect([monitor, mode]).toEqual(['val/loss', 'min']);
  expect(trials).toEqual([expect.objectContaining({ trial: 0, status: 'training', value: null, steps: 0 })]);
  expect((await hooklineSweep('results', file)).said).toBe(
    'trial  status    val/loss  epochs  steps  optimizer.lr\n0      training  -         0       0      0.1\n',
  );
});

test.each([
  [['--wokers', '2'], "Unknown option '--wokers'"],
  [['a.ts', 'b.ts'], 'One file, not 2.'],
  [['reslts', 'b.ts'], 'One file, not 2. Did you mean "results"?'],
  [['reslts'], 'There is no file reslts. Did you mean "results"?'],
  [['run'], 'Which trial? Name it: --trial 3.'],
  [['run', '--trial', 'x'], '--trial must be a whole number of at least 0, got "x".'],
  [['run', '--trial', '-1'], "Option '--trial' argument is ambiguous"],
  [['run', '--trial', '1.5'], '--trial must be a whole number of at least 0, got "1.5".'],
  [['run', '--trial', '7'], 'Trial 7 was not taken.'],
])('called wrongly, it says how to call it: %j', async (args, message) => {
  const file = await twoTrials();
  const withFile = args[0] === 'run' ? ['run', file, ...args.slice(1)] : args;
  const error = await errorOf(() => command.run(withFile, () => {}));
  expect(error.code).toBe('CLI_USAGE');
  expect(error.message).toContain(message);
});

test.each(['0', 'two', '1.5'])('--workers %s is refused before anything is trained', async (workers) => {
  const file = await twoTrials();
  const error = await errorOf(() => command.run([file, '--workers', workers], () => {}));
  expect(error.message).toBe(`--workers must be a whole number of at least 1, got "${workers}".`);
  expect((await openSweep(file)).journal.trials()).toEqual([]);
});

test('a sweep that is done prints its results, and has no job for a queue', async () => {
  const file = await twoTrials();
  const { journal } = await openSweep(file);
  await journal.update(() => ({
    entries: [0, 1].flatMap((trial) => [
      {
        event: 'start' as const,
        trial,
        rung: 0,
        point: { 'optimizer.lr': 0.1 + trial / 10 },
        by: 'queue' as const,
      },
      ...[0, 1, 2].map((rung) => endEntry(trial, rung, { ...REACHED, value: 1 + trial, finished: true })),
    ]),
    result: undefined,
  }));
  expect(await hooklineSweep(file)).toEqual({
    code: 0,
    said:
      'trial  status   val/loss  epochs  steps  optimizer.lr\n' +
      '0      trained  1         4       16     0.1\n' +
      '1      trained  2         4       16     0.2\n',
  });
  expect(JSON.parse((await hooklineSweep(file, '--json')).said).trials).toHaveLength(2);
  expect(await hooklineSweep('next', file)).toEqual({ code: 3, said: 'The sweep is done.\n' });
});

test('a queue that finds nothing to take is told so in words', async () => {
  const file = await twoTrials();
  await hooklineSweep('next', file);
  await hooklineSweep('next', file);
  expect(await hooklineSweep('next', file)).toEqual({ code: 3, said: 'Nothing to take now.\n' });
});

const REACHED = { epochs: 4, steps: 16, seconds: 1, value: 0.25, finished: false };

test.each([
  ['interrupted' as const, 'trial 3: interrupted; it continues when the sweep does'],
  [{ error: 'no memory' }, 'trial 3: failed: no memory'],
  [{ outcome: REACHED }, 'trial 3: val/loss 0.25 after 4 of 9 epochs'],
  [{ outcome: { ...REACHED, finished: true } }, 'trial 3: val/loss 0.25 after 4 of 9 epochs, stopped early'],
  [{ outcome: { ...REACHED, value: NaN } }, 'trial 3: val/loss NaN after 4 of 9 epochs'],
])('how a trial ended is one line: %j', (end, line) => {
  const sweep = sweepOf({ space: { x: uniform(0, 1) } }, 9);
  expect(jobLine(sweep, { trial: 3, rung: 1, epochs: 3, point: { x: 0 } }, end)).toBe(line);
});

test('the help names every verb, flag and exit code', () => {
  for (const word of ['results', 'next', 'run', '--workers', '--trial', '--json', '130', 'sweep.config.ts'])
    expect(command.usage).toContain(word);
});
