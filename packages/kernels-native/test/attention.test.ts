import { describe, expect, it } from 'vitest';
import { type AttentionSizes, attention, attentionGradient } from './reference/attention.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const SIMPLE: AttentionSizes = { batch: 2, heads: 2, time: 4, keys: 5, depth: 3, width: 6, scale: 0.5 };

const SHAPES: Readonly<Record<string, AttentionSizes>> = {
  'several of everything': SIMPLE,
  'one of everything': { batch: 1, heads: 1, time: 1, keys: 1, depth: 1, width: 1, scale: 1 },
  'one moment': { ...SIMPLE, time: 1 },
  'one key': { ...SIMPLE, keys: 1 },
  'a vector of keys': { ...SIMPLE, keys: 8, width: 8, depth: 8 },
  'one key more than a vector': { ...SIMPLE, keys: 9, width: 17, depth: 9 },
  'a wide vector and more': { ...SIMPLE, heads: 1, time: 13, keys: 33, depth: 16, width: 32 },
  'many heads': { ...SIMPLE, heads: 7, depth: 2, width: 3 },
  'more keys than a product sums at a time': { ...SIMPLE, batch: 1, time: 3, keys: 261, width: 4 },
  'deeper than a product sums at a time': { ...SIMPLE, batch: 1, heads: 1, depth: 259 },
};

const sizesOf = (s: AttentionSizes) => {
  const pairs = s.batch * s.heads;
  return {
    query: pairs * s.time * s.depth,
    key: pairs * s.keys * s.depth,
    value: pairs * s.keys * s.width,
    out: pairs * s.time * s.width,
    weights: pairs * s.time * s.keys,
  };
};

const operands = (s: AttentionSizes, numbers: (count: number, seed: number) => Float32Array = floats) => ({
  query: numbers(sizesOf(s).query, 1),
  key: numbers(sizesOf(s).key, 2),
  value: numbers(sizesOf(s).value, 3),
});

const compute = (inputs: Record<string, Float32Array>, s: AttentionSizes, causal = false) => {
  const { out, weights } = sizesOf(s);
  return call('attention', { inputs, outputs: { out, weights }, values: { ...s, causal } });
};

describe.skipIf(!kernels)('attention', () => {
  it.each(Object.keys(SHAPES))('has the right bits for %s', (name) => {
    const s = SHAPES[name]!;
    const inputs = operands(s);
    const [actual, expected] = [compute(inputs, s), attention(inputs, s)];
    expectBits(actual.weights!, expected.weights, 'weights');
    expectBits(actual.out!, expected.out, 'out');
  });

  it('that is causal sees the keys up to its own moment', () => {
    for (const [time, keys] of [
      [1, 1],
      [5, 5],
      [4, 9],
      [17, 17],
      [9, 33],
    ] as const) {
      const s = { ...SIMPLE, time, keys };
      const inputs = operands(s);
      const [actual, expected] = [compute(inputs, s, true), attention(inputs, s, true)];
      expectBits(actual.weights!, expected.weights, `weights of ${time} and ${keys}`);
      expectBits(actual.out!, expected.out, `out of ${time} and ${keys}`);
    }
  });

  it('that is causal does not depend on what comes later', () => {
    const s = { ...SIMPLE, batch: 1, heads: 1, time: 6, keys: 6 };
    const inputs = operands(s);
    const later = {
      ...inputs,
      key: inputs.key.map((each, i) => (i >= 4 * s.depth ? -each : each)),
      value: inputs.value.map((each, i) => (i >= 4 * s.width ? 7 : each)),
    };
    const seen = 4 * s.width;
    expectBits(compute(later, s, true).out!.slice(0, seen), compute(inputs, s, true).out!.slice(0, seen));
  });

  it('that is causal is left to the caller where a moment has no key of its own', () => {
    const memory = new Uint8Array(4096).fill(0xaa);
    const run = kernels!.bind('attention', () => memory);
    expect(run(0, 512, 1024, 1536, 2048, 1, 1, 5, 4, 3, 3, 1, true)).toBe(false);
    expect(memory.every((byte) => byte === 0xaa)).toBe(true);
    expect(run(0, 512, 1024, 1536, 2048, 1, 1, 4, 4, 3, 3, 1, true)).toBe(true);
  });

  it('has weights that are parts of one', () => {
    const { weights } = compute(operands(SIMPLE), SIMPLE);
    for (let at = 0; at < weights!.length; at += SIMPLE.keys) {
      const total = weights!.slice(at, at + SIMPLE.keys).reduce((sum, each) => sum + each, 0);
      expect(total).toBeCloseTo(1, 6);
    }
  });

  it('keeps NaN in the head and the moment that it came from', () => {
    const inputs = operands(SIMPLE);
    inputs.query[0] = Number.NaN;
    const { weights, out } = compute(inputs, SIMPLE);
    expect([...weights!.entries()].filter(([, each]) => Number.isNaN(each)).map(([i]) => i)).toEqual([
      0, 1, 2, 3, 4,
    ]);
    expectBits(out!, attention(inputs, SIMPLE).out);
  });

  it('has the right bits for special numbers', () => {
    const inputs = operands(SIMPLE, (count, seed) => specialFloats(count, seed, 12));
    expectBits(compute(inputs, SIMPLE).out!, attention(inputs, SIMPLE).out);
  });
});

describe.skipIf(!kernels)('attentionGradient', () => {
  const check = (
    s: AttentionSizes,
    numbers: (count: number, seed: number) => Float32Array = floats,
  ): void => {
    const { query, key, value, weights, out } = sizesOf(s);
    const inputs = { ...operands(s, numbers), weights: numbers(weights, 4), dy: numbers(out, 5) };
    const outputs = { dQuery: query, dKey: key, dValue: value, spare: s.time * s.keys };
    const actual = call('attentionGradient', { inputs, outputs, values: { ...s } });
    for (const [name, expected] of Object.entries(attentionGradient(inputs, s))) {
      expectBits(actual[name]!, expected, name);
    }
  };

  it.each(Object.keys(SHAPES))('has the right bits for %s', (name) => {
    check(SHAPES[name]!);
  });

  it('has the right bits for special numbers', () => {
    check(SIMPLE, (count, seed) => specialFloats(count, seed, 12));
  });

  it('is the slope of attention', () => {
    const s = { ...SIMPLE, batch: 1, time: 3 };
    const inputs = operands(s);
    const dy = floats(sizesOf(s).out, 6);
    const { weights } = attention(inputs, s);
    const slopes = attentionGradient({ ...inputs, weights, dy }, s);
    const step = 2 ** -7;
    for (const [operand, slope] of [
      ['query', slopes.dQuery],
      ['key', slopes.dKey],
      ['value', slopes.dValue],
    ] as const) {
      const loss = (i: number, by: number): number => {
        const moved = inputs[operand].map((each, j) => (j === i ? each + by : each));
        return attention({ ...inputs, [operand]: moved }, s).out.reduce((sum, y, j) => sum + y * dy[j]!, 0);
      };
      for (const i of [0, 4, slope.length - 1]) {
        const expected = (loss(i, step) - loss(i, -step)) / (2 * step);
        expect(Math.abs(slope[i]! - expected), `${operand} ${i}`).toBeLessThan(0.01);
      }
    }
  });
});
