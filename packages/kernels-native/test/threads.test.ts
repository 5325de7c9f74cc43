import { describe, expect, it } from 'vitest';
import { product } from './reference/product.js';
import { kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats } from './support/numbers.js';
import { inThread } from './support/thread.js';

const memoryOf = (count: number): Float32Array =>
  new Float32Array(new SharedArrayBuffer(count * 4) as unknown as ArrayBuffer);

const bytesOf = (numbers: Float32Array): Uint8Array => new Uint8Array(numbers.buffer);

describe.skipIf(!kernels)('several threads', () => {
  it('compute parts of one product at the same time, each with room of its own', async () => {
    const [m, n, k, threads] = [48, 40, 300, 3];
    const numbers = memoryOf(m * k + k * n + m * n);
    const [a, b] = [floats(m * k, 1), floats(k * n, 2)];
    numbers.set(a, 0);
    numbers.set(b, m * k);
    const rows = m / threads;
    const answers = await Promise.all(
      Array.from({ length: threads }, (_, i) => {
        const [atA, atB, atOut] = [i * rows * k, m * k, m * k + k * n + i * rows * n].map((at) => at * 4);
        const args = [atA!, k, 0, atB!, n, 0, atOut!, rows, n, k, 0, 0, 0];
        const calls = [{ name: 'product', args }];
        return inThread({ file: kernels!.file, memory: bytesOf(numbers), repeat: 30, calls });
      }),
    );
    for (const { outcomes, kept } of answers) {
      expect(outcomes.every((each) => each === 0)).toBe(true);
      expect(kept).toBe(true);
    }
    expectBits(numbers.slice(m * k + k * n), product(a, b, { m, n, k }));
  });

  it('grow their rooms while others compute in theirs', async () => {
    const units = [3, 40, 7, 70, 20];
    const most = Math.max(...units);
    // For each thread: gates, weights, cells, hidden, squashed, and what lies before and behind.
    const share = 4 * most + 4 * most * most + 2 * most + 2 * most + most;
    const numbers = memoryOf(3 * share);
    numbers.set(floats(3 * share, 3, -0.5, 0.5));
    const start = numbers.slice();
    const callsOf = (thread: number) =>
      units.map((u) => {
        let at = thread * share;
        const places = [4 * u, 4 * u * u, 2 * u, 2 * u, u].map((count) => {
          const place = at * 4;
          at += count;
          return place;
        }) as [number, number, number, number, number];
        const [gates, weights, cells, hidden, squashed] = places;
        return { name: 'lstm', args: [gates, weights, 0, cells, hidden, squashed, 0, 0, 1, 1, u, 0, 1] };
      });
    await Promise.all(
      [0, 1, 2].map((thread) =>
        inThread({ file: kernels!.file, memory: bytesOf(numbers), repeat: 1, calls: callsOf(thread) }),
      ),
    );
    const alone = start.slice();
    for (const thread of [0, 1, 2]) {
      for (const { name, args } of callsOf(thread)) kernels!.bind(name, () => bytesOf(alone))(...args);
    }
    expectBits(numbers.slice(), alone);
  });

  it('have outcomes of their own: a wrong call in one is none in another', async () => {
    const numbers = memoryOf(64);
    const work = { file: kernels!.file, memory: bytesOf(numbers), repeat: 200 };
    const [right, wrong] = await Promise.all([
      inThread({ ...work, calls: [{ name: 'unary', args: [1, 0, 128, 8, 0, 0] }] }),
      inThread({ ...work, calls: [{ name: 'unary', args: [1, 0, 250, 8, 0, 0] }] }),
    ]);
    expect(new Set(right.outcomes)).toEqual(new Set([0]));
    // The third argument, counted from 1.
    expect(new Set(wrong.outcomes)).toEqual(new Set([3]));
  });

  it('choose their instructions for themselves', async () => {
    const before = kernels!.limitTo(kernels!.instructions);
    const work = { file: kernels!.file, memory: bytesOf(memoryOf(16)), repeat: 0, calls: [] };
    expect((await inThread({ ...work, limit: 'avx2' })).instructions).toBe('avx2');
    expect((await inThread(work)).instructions).toBe(kernels!.instructions);
    expect(kernels!.limitTo(kernels!.instructions)).toBe(before);
  });

  it('may begin and end again and again', async () => {
    const numbers = memoryOf(64);
    numbers[0] = 3;
    for (let i = 0; i < 5; i++) {
      numbers[32] = 0;
      const calls = [{ name: 'unary', args: [2, 0, 128, 1, 0, 0] }];
      await inThread({ file: kernels!.file, memory: bytesOf(numbers), repeat: 1, calls });
      expect(numbers[32]).toBe(9);
    }
  });
});

describe.skipIf(!kernels)('the instructions', () => {
  it('that are asked for are those that are used, where the processor has them, and else the best below', () => {
    expect(kernels!.limitTo('avx2')).toBe('avx2');
    expect(kernels!.limitTo('avx512')).toBe(kernels!.instructions);
    expect(['avx2', 'avx512']).toContain(kernels!.instructions);
  });

  it('are compared bit by bit in every test here, where the processor has both', ({ skip }) => {
    if (kernels!.instructions !== 'avx512') skip('this processor has no AVX-512');
    expect(kernels!.limitTo('avx2')).not.toBe(kernels!.limitTo('avx512'));
  });
});
