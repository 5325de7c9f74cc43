import { expect, test } from 'vitest';
import { difference, expectedOf, trainingDifference } from '../../src/trial/compare.js';
import type { Trial } from '../../src/trial/trial.js';

function ran(changes: Partial<Trial> = {}): Trial {
  return {
    weights: [0.5, -1],
    history: [{ loss: 2 }, { loss: 1 }],
    stopReason: undefined,
    series: { 'step 1: a/loss': 2, 'step 4: a/loss': 1, 'epoch 6: a/time': 9 },
    states: { a: { json: { count: 6 }, tensors: [] } },
    seen: { checkpoints: false },
    error: undefined,
    failures: {},
    leftTensors: 0,
    ...changes,
  };
}

const against = (found: Partial<Trial>, fromStep = 0) =>
  difference(ran(found), expectedOf(ran(), ran()), fromStep);

test('a run that goes as expected has no difference', () => {
  expect(against({})).toBeUndefined();
  expect(trainingDifference(ran(), ran())).toBeUndefined();
});

test.each<[string, Partial<Trial>, string]>([
  [
    'another value',
    { series: { ...ran().series, 'step 1: a/loss': 3 } },
    '"a/loss" is 3 at step 1, where it was 2',
  ],
  ['a value that is missing', { series: {} }, '"a/loss" is not logged at step 1, where it was 2'],
  [
    'another state',
    { states: { a: { json: { count: 5 }, tensors: [] } } },
    'the saved state of "a" is {"json":{"count":5},"tensors":[]} in the end, where it was {"json":{"count":6},"tensors":[]}',
  ],
  ['a stop', { stopReason: 'enough' }, 'the run ended with the reason "enough", where it was null'],
  ['another weight', { weights: [0.5, -2] }, 'weight 1 of the model is -2 in the end, where it was -1'],
  ['fewer epochs', { history: [{ loss: 2 }] }, 'the run has 1 epochs, where it had 2'],
  ['another loss', { history: [{ loss: 2 }, { loss: 3 }] }, 'loss of epoch 2 is 3, where it was 1'],
])('%s is told in words', (_what, found, says) => {
  expect(against(found)).toBe(says);
});

test('a NaN is equal to itself, and a zero is not its negative: bits are compared', () => {
  const nan = { weights: [Number.NaN], history: [{ loss: Number.NaN }] };
  expect(trainingDifference(ran(nan), ran(nan))).toBeUndefined();
  expect(trainingDifference(ran({ weights: [-0] }), ran({ weights: [0] }))).toContain('weight 0');
});

test('what a hook logs beyond what is expected does not count as a difference', () => {
  expect(against({ series: { ...ran().series, 'step 2: a/extra': 1 } })).toBeUndefined();
});

test('what differs between two equal runs is not expected of a third', () => {
  const expected = expectedOf(
    ran(),
    ran({
      series: { ...ran().series, 'epoch 6: a/time': 10 },
      states: { a: { json: { count: 7 }, tensors: [] } },
      history: [{ loss: 2 }, { loss: 1.5 }],
    }),
  );
  expect(Object.keys(expected.series)).toEqual(['step 1: a/loss', 'step 4: a/loss']);
  expect(expected.states).toEqual({});
  expect(expected.history).toEqual([{ loss: 2 }, {}]);
  expect(difference(ran({ series: ran().series }), expected)).toBeUndefined();
});

test('a resumed run is compared from where it began: it has logged nothing before', () => {
  const resumed = { series: { 'step 4: a/loss': 1, 'epoch 6: a/time': 9 }, history: [{ loss: 1 }] };
  expect(against(resumed, 3)).toBeUndefined();
  expect(against(resumed)).toContain('"a/loss" is not logged at step 1');
  expect(against({ ...resumed, series: {} }, 3)).toContain('at step 4');
});

test('logged values are named first: they say more than a weight', () => {
  expect(against({ weights: [9, 9], series: {} })).toContain('a/loss');
});
