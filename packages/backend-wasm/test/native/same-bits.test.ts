import { loadKernels, type NativeKernels } from '@hookline/kernels-native';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawing } from '../module/drawing.js';
import { BenchMemory } from './bench-memory.js';
import { CASES, type Call } from './cases.js';

const ROUNDS = 60;

const kernels = loadKernels();
const memory = kernels && (await BenchMemory.create());
const SETS = kernels?.instructions === 'avx512' ? (['avx2', 'avx512'] as const) : (['avx2'] as const);

describe.skipIf(!kernels)('native kernels', () => {
  afterAll(() => {
    kernels!.limitTo(kernels!.instructions);
  });

  it('are all tested here', () => {
    expect(Object.keys(CASES).sort()).toEqual([...kernels!.names].sort());
  });

  describe.each(SETS)('with %s', (instructions) => {
    beforeAll(() => {
      expect(kernels!.limitTo(instructions)).toBe(instructions);
    });

    it.each(Object.keys(CASES))('%s has the bits of WebAssembly with FMA', (name) => {
      expect(differences(kernels!, memory!, name)).toEqual([]);
    });
  });
});

describe.skipIf(kernels)('without native kernels', () => {
  it('there is nothing to compare', () => {
    console.log('native kernels are not compared: there is no binary here');
  });
});

function differences(native: NativeKernels, bench: BenchMemory, name: string): string[] {
  const found: string[] = [];
  const run = native.bind(name, () => bench.bytes);
  const stock = (bench.module as unknown as Record<string, (...args: unknown[]) => void>)[name]!;
  for (let round = 0; round < ROUNDS; round++) {
    // In a third of the rounds some numbers are special.
    const call = CASES[name]!(drawing(bench, round * 7919 + 17, round % 3 === 2));
    const before = bench.snapshot();
    stock(...call.args);
    const expected = bench.snapshot();
    bench.restore(before);
    if (!run(...call.args)) found.push(`round ${round} is declined: ${call.args}`);
    const at = firstDifference(bench, call, bench.snapshot(), expected);
    if (at !== undefined) found.push(`round ${round}, float ${at}: ${name}(${call.args})`);
  }
  return found;
}

function firstDifference(
  bench: BenchMemory,
  call: Call,
  actual: Int32Array,
  expected: Int32Array,
): number | undefined {
  for (const [address, count] of call.scratch ?? []) {
    const at = bench.place(address);
    actual.fill(0, at, at + count);
    expected.fill(0, at, at + count);
  }
  const at = actual.findIndex(
    (bits, i) => bits !== expected[i] && !(isNaNBits(bits) && isNaNBits(expected[i]!)),
  );
  return at < 0 ? undefined : at;
}

/** Which of the many NaN comes out is not defined, and nobody can see it. */
function isNaNBits(bits: number): boolean {
  return (bits & 0x7fffffff) > 0x7f800000;
}
