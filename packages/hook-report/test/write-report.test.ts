import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { runEnding, writeReport } from '../src/index.js';

const folder = folderPerTest();

/** The folder of a run with the loss of three epochs. */
function run(id: string, loss = 1): string {
  mkdirSync(folder.in(id));
  const lines = [0, 1, 2].map((epoch) => ({
    ...{ event: 'epoch', epoch, step: 10 * (epoch + 1) },
    metrics: { 'train/loss': loss / (epoch + 1), 'val/loss': loss / (epoch + 1) },
  }));
  writeFileSync(folder.in(id, 'run.json'), JSON.stringify({ id, status: 'completed' }));
  writeFileSync(folder.in(id, 'log.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return folder.in(id);
}

test('the page of one run lies in its folder, that of several beside the first', async () => {
  const [a, b] = [run('a'), run('b')];
  expect((await writeReport([a])).path).toBe(folder.in('a', 'report.html'));
  const { path, runs } = await writeReport([a, b]);
  expect(path).toBe(folder.in('comparison.html'));
  expect(runs.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(readFileSync(path, 'utf8')).toContain('<h1>2 runs</h1>');
});

test('it goes where it is told to, replaces what is there, and leaves nothing else', async () => {
  const file = folder.in('page.html');
  writeFileSync(file, 'old');
  await writeReport([run('a')], file);
  expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
  expect(existsSync(folder.in('a', 'report.html'))).toBe(false);
  expect(readdirSync(folder.path).sort()).toEqual(['a', 'page.html']);
});

test('a place that cannot be written to is an error, and no half page stays', async () => {
  mkdirSync(folder.in('taken.html'));
  await expect(writeReport([run('a')], folder.in('taken.html'))).rejects.toThrow();
  expect(readdirSync(folder.path).sort()).toEqual(['a', 'taken.html']);
});

test('folders that are not runs are named, all of them', async () => {
  mkdirSync(folder.in('empty'));
  const error = await errorOf(() => writeReport([run('a'), folder.in('empty'), folder.in('missing')]));
  expect(error).toMatchObject({ code: 'NOT_A_RUN' });
  expect(String(error)).toContain(
    `${folder.in('empty')}, ${folder.in('missing')} is not the folder of a run`,
  );
  expect(await errorOf(() => writeReport([]))).toMatchObject({ code: 'NOT_A_RUN' });
});

test('the end of a run can be told from its folder alone', async () => {
  const text = await runEnding(run('a', 3));
  expect(text).toMatch(/train\/loss 3 → 1 .*val\/loss 3 → 1/);
  expect(text).toContain('Best    val/loss 1 in epoch 3');
  expect(text).toContain(folder.in('a', 'report.html'));
});
