import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorOf, folderPerTest, someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { runFile, sweepProject, weightsOf } from './sweep-project.js';

const folder = folderPerTest();

const HALVINGS = [
  { times: 'once', factor: 4, rungs: [1, 4], steps: [4, 16] },
  { times: 'twice', factor: 2, rungs: [1, 2, 4], steps: [4, 8, 16] },
];

test.each(someOf(HALVINGS, 1))(
  'a trial that is promoted $times has the bits of one that was never stopped, and repeats no step',
  async ({ factor, rungs, steps }) => {
    const one = `space: { 'optimizer.lr': choice(0.03), 'hyperparameters.units': choice(5) }, trials: 1`;
    const halving = `{ minEpochs: 1, factor: ${factor} }`;
    const halved = await runFile(
      await sweepProject(folder.in('.'), `${one}, halving: ${halving}, dir: 'halved'`),
    );
    const whole = await runFile(await sweepProject(folder.in('.'), `${one}, halving: false, dir: 'whole'`));
    expect(halved.open.sweep.rungs).toEqual(rungs);
    expect(halved.open.journal.trials()[0]!.outcomes.map((outcome) => outcome.steps)).toEqual(steps);
    expect(await weightsOf(halved.open, 0)).toBe(await weightsOf(whole.open, 0));
    expect(halved.results[0]!.value).toBe(whole.results[0]!.value);
  },
);

test('a rung that was reached when the sweep was killed is not trained again', async () => {
  const file = await sweepProject(folder.in('.'), `space: { 'optimizer.lr': choice(0.01) }, trials: 1`);
  const ending = new AbortController();
  const { open } = await runFile(file, { signal: ending.signal, onEnd: () => ending.abort() });
  expect(open.journal.trials()[0]!.outcomes.map(({ steps }) => steps)).toEqual([4]);
  // As if it had been killed after the trial reached its first rung and before that was written down.
  const journal = join(open.journal.folder, 'journal.jsonl');
  const [start] = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(journal, `${start!.replace(/"pid":\d+/, '"pid":4194305')}\n`);
  const again = await runFile(file);
  expect(again.open.journal.trials()[0]!.outcomes.map(({ steps }) => steps)).toEqual([4, 12, 16]);
});

test('a trial that stops by itself counts with what it has reached, without another process', async () => {
  const stops = `earlyStopping({ monitor: 'val/loss', stoppingThreshold: 1e9 })`;
  const file = await sweepProject(
    folder.in('.'),
    `space: { 'optimizer.lr': choice(0.01) }, trials: 1`,
    stops,
  );
  const { open, results } = await runFile(file);
  expect(results[0]).toMatchObject({ status: 'trained', epochs: 1, steps: 4 });
  expect(open.journal.trials()[0]!.outcomes).toHaveLength(open.sweep.rungs.length);
});

test('a trial that fails costs itself only; what it said is in its folder', async () => {
  const file = await sweepProject(
    folder.in('.'),
    `space: { 'hyperparameters.units': choice(-1, 3) }, search: 'grid', halving: false`,
  );
  const { open, results } = await runFile(file);
  expect(results.map(({ status }) => status)).toEqual(['trained', 'failed']);
  expect(results[1]!.error).toBeTruthy();
  expect(readFileSync(join(open.journal.folder, 'trials/0000/output.log'), 'utf8')).toContain(
    results[1]!.error!,
  );
});

test('a sweep whose every trial fails says so, with the first reason', async () => {
  const file = await sweepProject(
    folder.in('.'),
    `space: { 'hyperparameters.units': choice(-1, -2) }, search: 'grid'`,
  );
  const error = await errorOf(() => runFile(file));
  expect(error.code).toBe('SWEEP_FAILED');
  expect(error.message).toMatch(/^All 2 trials failed. The first one: .+ \(see .+output\.log\)$/);
});

test('a metric that the training does not have is named, with what it has', async () => {
  const file = await sweepProject(
    folder.in('.'),
    `space: { 'optimizer.lr': choice(0.01) }, trials: 1, monitor: 'val/lose'`,
  );
  const error = await errorOf(() => runFile(file));
  expect(error.message).toContain('The sweep monitors "val/lose"');
  expect(error.message).toContain('Did you mean "val/loss"?');
});
