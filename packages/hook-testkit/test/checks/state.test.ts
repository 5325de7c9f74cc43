import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { state } from '../../src/checks/state.js';
import { saidBy, steady, steadyBut } from '../steady.js';

const saving = (saved: () => unknown) => steadyBut(() => ({ saveState: saved, loadState() {} }));

test('a hook without a state, and one whose state is JSON, are in order', async () => {
  expect(await saidBy(state, steady)).toBe('');
  expect(await saidBy(state, () => ({ name: 'steady', onEpochEnd() {} }))).toBe('');
});

test.each<[string, () => unknown]>([
  ['numbers, text and lists', () => ({ count: 1, best: [0.5, null], name: 'a', on: true })],
  ['a number alone', () => 3],
  ['nothing yet', () => null],
])('%s can be saved', async (_what, saved) => {
  expect(await saidBy(state, saving(saved))).toBe('');
});

test('tensors lie beside the JSON, and are not asked to be JSON', async () => {
  const kept = tf.scalar(1);
  expect(
    await saidBy(
      state,
      saving(() => ({ json: { count: 1 }, tensors: { sum: kept } })),
    ),
  ).toBe('');
  kept.dispose();
});

test.each<[string, () => unknown, RegExp]>([
  ['a Map', () => ({ seen: new Map() }), /"seen" is a Map, which JSON cannot hold\. Return numbers/],
  [
    'a function deep inside',
    () => ({ a: [{ run: () => 1 }] }),
    /cannot save its state in the middle of an epoch: "a.*run"/,
  ],
  ['a Date alone', () => new Date(), /: it is a Date, which JSON cannot hold/],
  ['a tensor in the JSON', () => ({ json: { sum: new Set([1]) }, tensors: {} }), /"sum" is a Set/],
])('%s is named with its place', async (_what, saved, says) => {
  expect(await saidBy(state, saving(saved))).toMatch(says);
});

test.each([
  ['saveState', 'loadState'],
  ['loadState', 'saveState'],
])('a hook that has %s and no %s is told to have both', async (has, lacks) => {
  const half = steadyBut(() => ({ [has]: () => ({}), [lacks]: undefined }));
  expect(await saidBy(state, half)).toBe(
    `Hook "steady" has ${has} and no ${lacks}, so that what it saves is never used. Write both, or neither.`,
  );
});

test('a saveState that throws in the middle of an epoch is quoted', async () => {
  const early = saving(() => {
    throw new Error('no epoch has ended yet');
  });
  expect(await saidBy(state, early)).toContain('in the middle of an epoch: no epoch has ended yet');
});
