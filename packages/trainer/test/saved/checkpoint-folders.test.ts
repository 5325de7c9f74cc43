import { mkdirSync } from 'node:fs';
import { commitFolder, writePointer } from '@hookline/safetensors/node';
import { errorOf, folderPerTest, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { checkpointsIn, pickCheckpoint, pointersOf } from '../../src/saved/checkpoint-folders.js';

const folder = folderPerTest();

/** Checkpoints of these names in a folder below the test's own. */
async function checkpoints(at: string, ...names: string[]): Promise<void> {
  mkdirSync(folder.in(at), { recursive: true });
  for (const name of names) {
    await commitFolder(folder.in(at, name), (files) => files.write('note.txt', name));
  }
}

test('a run, its folder of checkpoints and one of them lead to the same checkpoint', async () => {
  await checkpoints('run/checkpoints', 'step_1', 'step_2');
  await writePointer(folder.in('run/checkpoints/best.json'), 'step_1');
  const best = folder.in('run/checkpoints/step_1');
  for (const path of ['run', 'run/checkpoints', 'run/checkpoints/step_1']) {
    expect(await pickCheckpoint(folder.in(path))).toBe(best);
  }
});

test('without a wish it is the best, or else the last; with one it is that, by name or mark', async () => {
  await checkpoints('c', 'step_1', 'step_2', 'step_3');
  await writePointer(folder.in('c/last.json'), 'step_3');
  expect(await pickCheckpoint(folder.in('c'))).toBe(folder.in('c/step_3'));
  await writePointer(folder.in('c/best.json'), 'step_2');
  await writePointer(folder.in('c/best-val-f1.json'), 'step_1');
  expect(await pickCheckpoint(folder.in('c'))).toBe(folder.in('c/step_2'));
  expect(await pickCheckpoint(folder.in('c'), 'last')).toBe(folder.in('c/step_3'));
  expect(await pickCheckpoint(folder.in('c'), 'best-val-f1')).toBe(folder.in('c/step_1'));
  expect(await pickCheckpoint(folder.in('c'), 'step_1')).toBe(folder.in('c/step_1'));
});

test('one checkpoint has every mark that points at it', async () => {
  await checkpoints('c', 'step_1');
  for (const mark of ['last', 'best']) await writePointer(folder.in(`c/${mark}.json`), 'step_1');
  expect([...(await pointersOf(folder.in('c')))]).toEqual([['step_1', ['best', 'last']]]);
});

test('where none is marked, and where the mark is of one that is gone, the names are listed', async () => {
  await checkpoints('c', 'step_1', 'step_2');
  const words = /marks none as best or last\..*There are: step_1, step_2\.$/;
  expect(await errorOf(() => pickCheckpoint(folder.in('c')))).toMatchObject({
    code: 'NO_CHECKPOINTS',
    message: expect.stringMatching(words),
  });
  await writePointer(folder.in('c/best.json'), 'step_9');
  expect((await errorOf(() => pickCheckpoint(folder.in('c')))).message).toMatch(words);
});

test('a mark that cannot be read is none, and other files are not marks', async () => {
  await checkpoints('c', 'step_1');
  write(folder.in('c'), { 'best.json': 'torn', 'worst.json': '"step_1"', 'lastly.json': '"step_1"' });
  expect((await pointersOf(folder.in('c'))).size).toBe(0);
});

test('what is being written is not taken for a checkpoint', async () => {
  await checkpoints('c', 'step_1');
  await checkpoints('c', '.tmp-step_2');
  expect((await checkpointsIn(folder.in('c'))).paths).toEqual([folder.in('c/step_1')]);
});

test('of a run with several checkpoint hooks the first folder with a checkpoint counts', async () => {
  mkdirSync(folder.in('run/checkpoints'), { recursive: true });
  await checkpoints('run/checkpoints-accuracy', 'step_4');
  expect(await checkpointsIn(folder.in('run'))).toEqual({
    dir: folder.in('run/checkpoints-accuracy'),
    paths: [folder.in('run/checkpoints-accuracy/step_4')],
  });
});

test.each(['empty', 'gone', 'notes'])('a folder without checkpoints (%s) is NO_CHECKPOINTS', async (name) => {
  mkdirSync(folder.in('empty'));
  write(folder.path, { 'notes/logs/a.txt': '' });
  expect(await errorOf(() => pickCheckpoint(folder.in(name)))).toMatchObject({
    code: 'NO_CHECKPOINTS',
    message: `There is no checkpoint in ${folder.in(name)}. Expected a folder with a manifest.json, or one that holds such folders.`,
  });
});
