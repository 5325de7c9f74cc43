import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson, snapshotMetrics, snapshotStep } from '../src/helpers.js';
import type { JsonValue, Snapshot } from '../src/index.js';

/** Through text, as a checkpoint does. */
const throughFile = (value: unknown): JsonValue => decodeJson(JSON.parse(JSON.stringify(encodeJson(value))));

describe('what is encoded comes back as it was:', () => {
  test.each<[string, unknown]>([
    ['NaN and the infinities', [Number.NaN, Infinity, -Infinity]],
    ['minus zero', [-0]],
    ['plain JSON', { a: [1, 'x', true, null], b: { c: -1.5 } }],
    ['keys that look like the mark', { $number: 'NaN', $$number: 1, $: [{ $number: 'NaN' }] }],
    ['deep inside', { losses: [{ best: Infinity }, { best: 1 }] }],
    ['nothing', {}],
  ])('%s', (_, value) => {
    expect(throughFile(value)).toEqual(value);
  });

  test('an object without a prototype', () => {
    expect(throughFile(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
  });
});

test('what is encoded is a copy: later changes are not saved', () => {
  const state = { best: [1] };
  const saved = encodeJson(state);
  state.best.push(2);
  expect(saved).toEqual({ best: [1] });
});

test('one object in two places is not a circle', () => {
  const twice = { value: 1 };
  expect(encodeJson([twice, twice])).toEqual([{ value: 1 }, { value: 1 }]);
});

describe('what JSON would lose is refused with its place:', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  test.each<[unknown, string]>([
    [undefined, 'The value is undefined, which JSON cannot hold.'],
    [{ a: [1, undefined] }, 'a[1] is undefined, which JSON cannot hold.'],
    [{ a: { run: () => {} } }, 'a.run is a function, which JSON cannot hold.'],
    [{ count: 10n }, 'count is a bigint, which JSON cannot hold.'],
    [{ seen: new Set() }, 'seen is a Set, which JSON cannot hold.'],
    [[new Float32Array(2)], '[0] is a Float32Array, which JSON cannot hold.'],
    [circle, 'self is an object that contains itself, which JSON cannot hold.'],
  ])('%o', (value, message) => {
    expect(() => encodeJson(value)).toThrow(new TypeError(message));
  });

  test('in the words of the caller, where it has its own', () => {
    const refuse = (path: string, what: string): never => {
      throw new Error(`state.${path}: ${what}`);
    };
    expect(() => encodeJson({ at: new Date() }, refuse)).toThrow('state.at: a Date');
  });
});

describe('a snapshot', () => {
  const state: NonNullable<Snapshot['state']> = {
    seed: 1,
    counters: { epoch: 1, completedEpochs: 1, step: 120, batchesDone: 4, elapsedSeconds: 2.5 },
    random: [1, 2, 3, 4],
    optimizers: [[{ name: 'all', lr: 0.1, lrScale: 1 }]],
    metrics: encodeJson({ 'train/loss': 0.25, 'val/loss': Number.NaN, 'val/gain': -Infinity }),
    hooks: {},
  };

  test('tells its metrics, also those that are not finite', () => {
    const snapshot: Snapshot = JSON.parse(JSON.stringify({ version: 1, model: {}, state }));
    expect(snapshotMetrics(snapshot)).toEqual({
      'train/loss': 0.25,
      'val/loss': Number.NaN,
      'val/gain': -Infinity,
    });
    expect(snapshotStep(snapshot)).toBe(120);
  });

  test('of the model alone has no metrics and no step', () => {
    expect(snapshotMetrics({ version: 1, model: {} })).toEqual({});
    expect(snapshotStep({ version: 1, model: {} })).toBeUndefined();
  });
});
