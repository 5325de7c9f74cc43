import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { command } from '../src/command.js';
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
  [['run'], 'Which trial? Name it: --trial 3.'],
  [['run', '--trial', 'x'], '--trial must be a whole number of at least 0, got "x".'],
  [['run', '--trial', '7'], 'Trial 7 was not taken.'],
])('called wrongly, it says how to call it: %j', async (args, message) => {
  const file = await twoTrials();
  const withFile = args[0] === 'run' ? ['run', file, ...args.slice(1)] : args;
  const error = await errorOf(() => command.run(withFile, () => {}));
  expect(error.code).toBe('CLI_USAGE');
  expect(error.message).toContain(message);
});
