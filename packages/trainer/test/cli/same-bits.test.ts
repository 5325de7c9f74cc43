import { mkdirSync } from 'node:fs';
import { commitFolder } from '@hookline/safetensors/node';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { firstDifference } from '../../src/cli/same-bits.js';
import { numbersAt, writtenRun } from './written-run.js';

const folder = folderPerTest();

type Lines = readonly [step: number, metrics: object][];

function compared(was: Lines, is: Lines) {
  for (const [id, lines] of [
    ['a', was],
    ['b', is],
  ] as const) {
    writtenRun(
      folder.path,
      id,
      {},
      lines.map(([step, metrics]) => numbersAt(step, metrics)),
    );
  }
  return firstDifference(folder.in('a'), folder.in('b'));
}

/** A checkpoint of a step, with a weight of this value. */
async function checkpoint(run: string, step: number, value: number): Promise<void> {
  mkdirSync(folder.in(run, 'checkpoints'), { recursive: true });
  await commitFolder(
    folder.in(run, 'checkpoints', `step-${step}`),
    (files) =>
      files.writeSafetensors(
        'model.safetensors',
        new Map([['w', { dtype: 'F32', shape: [1], data: Float32Array.of(value) }]]),
      ),
    { info: { step } },
  );
}

test('equal numbers are counted, up to the last step that both have', async () => {
  const lines: Lines = [
    [1, { 'train/loss': 0.1, 'lr/sgd': 1 }],
    [2, { 'train/loss': 0.2 }],
  ];
  expect(await compared(lines, [...lines, [3, { 'train/loss': 9 }]])).toEqual({
    text: 'The same bits: 3 logged numbers up to step 2.',
    isSame: true,
  });
});

test('the first step that differs is named, with both values, whatever the order of the names', async () => {
  const was: Lines = [
    [1, { 'train/loss': 1, 'grad/norm': 1 }],
    [2, { 'train/loss': 1, 'grad/norm': 2 }],
    [3, { 'train/loss': 1, 'grad/norm': 3 }],
  ];
  const is: Lines = [
    [1, { 'train/loss': 1, 'grad/norm': 1 }],
    [2, { 'train/loss': 1, 'grad/norm': 2.0000000000000004 }],
    [3, { 'train/loss': 7, 'grad/norm': 3 }],
  ];
  expect(await compared(was, is)).toEqual({
    text: 'Differs first at step 2: grad/norm was 2 and is 2.0000000000000004.',
    isSame: false,
  });
});

test.each([
  ['NaN is the same as NaN', 'NaN', 'NaN', true],
  ['infinities have a sign', 'Infinity', '-Infinity', false],
  ['NaN is not a number', 'NaN', 0, false],
])('%s', async (_what, was, is, isSame) => {
  expect(await compared([[1, { 'train/loss': was }]], [[1, { 'train/loss': is }]])).toMatchObject({ isSame });
});

test('what took how long, and what hooks of the user log, may differ', async () => {
  const was = { 'val/loss': 1, 'speed/steps': 10, 'memory/rss': 5, 'mine/time': 3 };
  expect(
    await compared([[1, was]], [[1, { ...was, 'speed/steps': 9, 'memory/rss': 6, 'mine/time': 4 }]]),
  ).toEqual({ text: 'The same bits: 1 logged number up to step 1.', isSame: true });
});

test('runs without a step in common are not called the same', async () => {
  const { text, isSame } = await compared([[1, { 'val/loss': 1 }]], [[2, { 'val/loss': 1 }]]);
  expect(isSame).toBe(false);
  expect(text).toMatch(/^There is nothing to compare: .*hook-logging or @hookline\/hook-checkpoint\.$/);
});

test('weights of checkpoints of the same step are compared by their bytes', async () => {
  for (const run of ['a', 'b']) {
    await checkpoint(run, 5, 1);
    writtenRun(folder.path, run);
  }
  expect(await firstDifference(folder.in('a'), folder.in('b'))).toEqual({
    text: 'The same bits: the weights of 1 checkpoint.',
    isSame: true,
  });
  await checkpoint('a', 10, 1);
  await checkpoint('b', 10, 2);
  await checkpoint('b', 15, 2);
  expect(await firstDifference(folder.in('a'), folder.in('b'))).toEqual({
    text: 'Differs first at step 10: the weights in the checkpoints of that step are not equal.',
    isSame: false,
  });
});
