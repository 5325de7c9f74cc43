import type { Hook, HostTensor, JsonValue, Snapshot } from '@hookline/hook-api';
import { errorOf, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { atEnd, FIT } from '../support/at-end.js';
import { quietTrainer } from '../support/quiet-trainer.js';

describe('hook states', () => {
  const counting = (start: number): Hook & { count: number; loaded: unknown } => ({
    name: 'counting',
    count: start,
    loaded: undefined,
    saveState() {
      return { json: { count: this.count }, tensors: { trace: trace(this.count) } };
    },
    loadState(state) {
      this.loaded = state;
    },
  });
  const trace = (value: number): HostTensor => ({
    dtype: 'float32',
    shape: [2],
    data: Float32Array.of(value, value + 1),
  });

  test('go by the hook’s name, tensors beside JSON', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [counting(5)] });
    expect(snapshot.hooks).toEqual({ 'counting/trace': trace(5) });
    expect((snapshot.state!.hooks as Record<string, JsonValue>).counting).toEqual({
      state: { count: 5 },
      tensors: true,
    });
    expect(JSON.stringify(snapshot.state)).not.toContain('Float32');

    const other = counting(0);
    await atEnd((ctx) => ctx.restore(snapshot), { hooks: [other] });
    expect(other.loaded).toEqual({ json: { count: 5 }, tensors: { trace: trace(5) } });
  });

  test('may hold tensors of the device, which stay the hook’s', async () => {
    const mine = tf.tensor1d([5, 6]);
    const holding: Hook = { ...counting(0), saveState: () => ({ json: null, tensors: { trace: mine } }) };
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [holding] });
    expect(snapshot.hooks).toEqual({ 'counting/trace': trace(5) });
    expect(mine.isDisposed).toBe(false);
    const other = counting(0);
    await atEnd((ctx) => ctx.restore(snapshot), { hooks: [other] });
    expect(other.loaded).toEqual({ json: null, tensors: { trace: trace(5) } });
    mine.dispose();
  });

  test('that are plain JSON come back as they were, whatever their names', async () => {
    for (const state of [7, 'text', [1, { a: null }], { tensors: {} }, { json: 1, tensors: { a: 1 } }]) {
      const saving: Hook = { ...counting(0), saveState: () => state as never };
      const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [saving] });
      const other = counting(0);
      await atEnd((ctx) => ctx.restore(snapshot), { hooks: [other] });
      expect(other.loaded).toEqual(state);
    }
  });

  test('keep numbers that JSON has no words for', async () => {
    const state = {
      best: Infinity,
      worst: -Infinity,
      last: [Number.NaN, -0],
      $number: 'text',
      $$a: { $b: 1 },
    };
    const saving: Hook = { ...counting(0), saveState: () => state };
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [saving] });
    const other = counting(0);
    const file: Snapshot = { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
    await atEnd((ctx) => ctx.restore(file), { hooks: [other] });
    expect(other.loaded).toEqual(state);
    expect(Object.is((other.loaded as typeof state).last[1], -0)).toBe(true);
  });

  const loop: { self?: unknown } = {};
  loop.self = loop;
  class Record_ {
    best = 1;
  }
  test.each<[string, unknown, string]>([
    ['a Map', { seen: new Map() }, '"seen" is a Map'],
    ['a Set in a list', { all: [1, new Set()] }, '"all[1]" is a Set'],
    ['undefined', { best: { value: undefined } }, '"best.value" is undefined'],
    ['undefined in a list', [1, undefined], 'item [1] is undefined'],
    ['a function', { next: () => {} }, '"next" is a function'],
    ['a date', { at: new Date() }, '"at" is a Date'],
    ['a bigint', { count: 1n }, '"count" is a bigint'],
    ['a symbol', Symbol('s'), 'it is a symbol'],
    ['an array of numbers beside no tensors', { trace: Float32Array.of(1) }, '"trace" is a Float32Array'],
    ['an object of a class', { record: new Record_() }, '"record" is a Record_'],
    ['an object that holds itself', loop, '"self" is an object that contains itself'],
    ['a tensor', { mean: tf.scalar(1) }, '"mean" is a Tensor'],
  ])('with %s are refused, by the names of the hook and the place', async (_what, state, message) => {
    const saving: Hook = { ...counting(0), saveState: () => state as never };
    const error = await errorOf(atEnd((ctx) => ctx.snapshot(), { hooks: [saving] }));
    expect(error.code).toBe('HOOK_STATE');
    expect(error.message).toContain(`hook "counting" saves cannot be kept: ${message}.`);
    expect(error.message).toContain('saveState() returns JSON');
  });

  test('that cannot be saved do not disturb a run of which no snapshot is taken', async () => {
    const saving: Hook = {
      ...counting(0),
      saveState: () => new Map() as never,
      onTrainBatchEnd: (ctx) => ctx.stop('enough'),
    };
    const trainer = quietTrainer({ model: regressor(), hooks: [saving] });
    expect((await trainer.fit(FIT)).status).toBe('stopped');
  });

  test('of hooks that are not here are reported, and no code is loaded for them', async () => {
    const snapshot = await atEnd((ctx) => ctx.snapshot(), { hooks: [counting(5)] });
    const report = await atEnd((ctx) => ctx.restore(snapshot));
    expect(report.unexpected).toEqual(['hook counting']);
  });
});
