import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { gradientMonitor } from '@hookline/hook-gradient-monitor';
import { jsonLog } from '@hookline/hook-logging';
import { readRun } from '@hookline/run-view';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { command } from '../src/command.js';
import { report } from '../src/index.js';

const folder = folderPerTest();

/** Trains to the end, or until it fails in a step. */
async function trained(stopAt = Infinity): Promise<{ dir: string; printed: string }> {
  let printed = '';
  const stopping: Hook = {
    name: 'stopping',
    onTrainBatchEnd(ctx) {
      if (ctx.state.step === stopAt) throw new Error('cut off');
    },
    onError: 'fail',
  };
  const { trainer } = tinyRun(
    [
      stopping,
      gradientMonitor({ every: 1 }),
      jsonLog({ every: 1 }),
      checkpoint({ every: { steps: 5 } }),
      report({ print: { write: (text: string) => (printed += text) } }),
    ],
    { runsDir: folder.path },
  );
  let dir = '';
  trainer.addHook({
    name: 'where',
    onInit(ctx) {
      dir = ctx.run.dir!;
    },
  });
  const data = samples(32);
  await trainer
    .fit({ train: data, validation: data, epochs: 4, batchSize: 8, resume: 'auto' })
    .catch((error: Error) => expect(error.message).toBe('cut off'));
  return { dir, printed };
}

const steps = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('the page of a run that was cut off twice shows all of it, with every resume marked', async () => {
  const [first, second, third] = [await trained(7), await trained(12), await trained()];
  const view = await readRun(third.dir);
  expect([...view.series.get('batch/loss')!.points().steps]).toEqual([
    ...steps(1, 6),
    ...steps(8, 11),
    ...steps(13, 16),
  ]);
  expect(view.epochs.map(({ epoch }) => epoch)).toEqual([0, 1, 2, 3]);
  expect(view.resumes.map(({ step }) => step)).toEqual([7, 12]);
  expect(view.earlier.map(({ id }) => id)).toEqual([first.dir, second.dir].map((dir) => basename(dir)));
  for (const list of view.histograms.values())
    expect(list.map(({ step }) => step)).toEqual(
      [...new Set(list.map(({ step }) => step))].sort((a, b) => a - b),
    );
  const page = readFileSync(join(third.dir, 'report.html'), 'utf8');
  expect(page).toContain('resumed at step 7</text>');
  expect(page).toContain('resumed at step 12</text>');
  expect(page).toMatch(/<dt>epochs<\/dt><dd>4 of 4</);
  // The same page later, and the curve in the terminal.
  await command.run([third.dir, '--out', folder.in('later.html')], () => {});
  expect(readFileSync(folder.in('later.html'), 'utf8')).toContain('resumed at step 7</text>');
  const [, before] = /train\/loss (\S+) →/.exec(third.printed)!;
  expect(Number(before)).toBeCloseTo(view.epochs[0]!.metrics['train/loss']!, 3);
});

test('a run whose earlier part is gone begins where it was resumed, and says whose log is missing', async () => {
  const [first, second] = [await trained(7), await trained()];
  rmSync(join(first.dir, 'log.jsonl'));
  const view = await readRun(second.dir);
  expect([...view.series.get('batch/loss')!.points().steps]).toEqual(steps(8, 16));
  await command.run([second.dir], () => {});
  const page = readFileSync(join(second.dir, 'report.html'), 'utf8');
  expect(page).toContain(`${basename(first.dir)} (its log is missing)`);
});
