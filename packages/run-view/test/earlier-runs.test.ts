import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { follow, readRun } from '../src/index.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-view-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A run with the loss of steps `from` to `to`; the value tells which run logged it. */
async function run(
  id: string,
  from: number,
  to: number,
  value: number,
  resumedFrom?: object,
): Promise<string> {
  const dir = join(folder, id);
  await mkdir(dir);
  const record = { id, status: 'completed', finishedAt: 'now', durationMs: 1000, resumedFrom };
  await writeFile(join(dir, 'run.json'), JSON.stringify(record));
  const lines: object[] = [{ run: id, event: 'start', step: from - 1, epoch: 0 }];
  for (let step = from; step <= to; step++)
    lines.push(
      { run: id, event: 'batch', step, epoch: 0, metrics: { 'train/loss': value } },
      { run: id, event: 'epoch', step, epoch: step - 1, metrics: { 'val/loss': value } },
      { run: id, event: 'histogram', name: 'g', step, edges: [0, 1], counts: [1] },
    );
  await writeFile(join(dir, 'log.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return dir;
}

test('steps after the last checkpoint are those of the run that did them again', async () => {
  await run('a', 1, 8, 1);
  await run('b', 6, 9, 2, { run: 'a', step: 5 });
  const last = await run('c', 8, 10, 3, { run: 'b', step: 7 });
  const view = await readRun(last);
  const { steps, values } = view.series.get('batch/loss')!.points();
  expect([...steps]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect([...values]).toEqual([1, 1, 1, 1, 1, 2, 2, 3, 3, 3]);
  expect(view.epochs.map(({ metrics }) => metrics['val/loss'])).toEqual([...values]);
  expect(view.histograms.get('g')!.map(({ step }) => step)).toEqual([...steps]);
  expect(view.resumes.map(({ step }) => step)).toEqual([5, 7]);
  expect(view.earlier).toEqual([
    { id: 'a', durationMs: 1000, isKnown: true },
    { id: 'b', durationMs: 1000, isKnown: true },
  ]);
  expect(view.durationMs).toBe(1000);
});

test('a run that is followed has the curve of the one that it continues', async () => {
  await run('a', 1, 4, 1);
  const last = await run('b', 4, 6, 2, { run: 'a', step: 3 });
  for await (const view of follow(last)) {
    expect([...view.series.get('batch/loss')!.points().steps]).toEqual([1, 2, 3, 4, 5, 6]);
  }
});

test.each(['../secret', '..', '/etc', 'a/b', '', 7, null])(
  'a record cannot point elsewhere: %s',
  async (name) => {
    const last = await run('b', 4, 6, 2, { run: name, step: 3 });
    expect((await readRun(last)).earlier).toEqual([]);
  },
);

test('runs that name each other are read once', async () => {
  const first = await run('a', 1, 4, 1, { run: 'b', step: 1 });
  await run('b', 4, 6, 2, { run: 'a', step: 3 });
  expect((await readRun(first)).earlier.map(({ id }) => id)).toEqual(['b']);
});
