import { describe, expect, it } from 'vitest';
import { loadKernels } from '../src/index.js';
import { PLATFORMS } from '../src/platform.js';

const kernels = loadKernels();
const memory = new Uint8Array(4096);
const numbers = new Float32Array(memory.buffer);

describe.skipIf(!kernels)('kernels', () => {
  /** a [2, 3] at 0, b [3, 2] at 64, the product at 128. */
  const product = [0, false, 64, false, 128, 2, 2, 3, 0, false, 1, 0, 0];
  const matMul = (changes: Record<number, number> = {}, bytes = memory) =>
    kernels!.bind('matMul', () => bytes)(...product.map((value, place) => changes[place] ?? value));

  it('compute on the memory that they are given, without a copy', () => {
    numbers.set([1, 2, 3, 4, 5, 6], 0);
    numbers.set([1, 0, 0, 1, 1, 1], 16);
    expect(matMul()).toBe(true);
    expect([...numbers.subarray(32, 36)]).toEqual([4, 5, 10, 11]);
  });

  it('take the memory as it is after it has grown', () => {
    const larger = new Uint8Array(8192);
    new Float32Array(larger.buffer).set([1, 2, 3, 4, 5, 6], 0);
    new Float32Array(larger.buffer).set([2, 0, 0, 2, 2, 2], 16);
    expect(matMul({ 4: 8000 }, larger)).toBe(true);
    expect([...new Float32Array(larger.buffer).subarray(2000, 2004)]).toEqual([8, 10, 20, 22]);
  });

  it.each([
    ['an address behind the memory', { 4: 4096 }, 'out'],
    ['an operand that begins in it and ends behind it', { 0: 4096 - 5 * 4 }, 'a'],
    ['an address between two floats', { 2: 66 }, 'b'],
    ['an address that is negative', { 2: -4 }, 'b'],
    ['an address beyond 32 bits', { 0: 2 ** 32 }, 'a'],
    ['a size that is too large', { 7: 2 ** 20 }, 'a'],
    ['sizes whose product overflows', { 5: 2 ** 31 - 1, 7: 2 ** 31 - 1 }, 'a'],
    ['a size that is not whole', { 6: 1.5 }, 'n'],
    ['a size that is not a number', { 6: Number.NaN }, 'n'],
    ['a batch that leads outside', { 10: 3, 11: 2000 }, 'a'],
  ])('%s is an error that names the argument', (_what, changes, argument) => {
    expect(() => matMul(changes as unknown as Record<number, number>)).toThrow(
      expect.objectContaining({
        code: 'BAD_ARGUMENT',
        message: expect.stringContaining(`matMul: \`${argument}\` is`),
      }),
    );
  });

  it('let go of a memory, and take it again', () => {
    matMul();
    kernels!.release();
    numbers.fill(0, 32, 36);
    expect(matMul()).toBe(true);
    expect([...numbers.subarray(32, 36)]).toEqual([4, 5, 10, 11]);
  });

  it('leave what is empty to the caller', () => {
    expect(matMul({ 5: 0 })).toBe(false);
  });

  it('can be limited to lesser instructions', () => {
    expect(kernels!.limitTo('avx2')).toBe('avx2');
    expect(kernels!.limitTo(kernels!.instructions)).toBe(kernels!.instructions);
  });
});

it('there is a way to build every platform', async () => {
  const { TARGETS } = (await import('../scripts/build.mjs' as string)) as { TARGETS: object };
  expect(Object.keys(TARGETS)).toEqual([...PLATFORMS]);
});

if (!kernels) {
  if (process.env.HOOKLINE_NATIVE_REQUIRED)
    throw new Error('There is no binary for this platform and processor.');
  console.log('the native kernels are not tested: there is no binary here');
}
