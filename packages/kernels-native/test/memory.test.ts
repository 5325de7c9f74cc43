import { describe, expect, it } from 'vitest';
import { kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats } from './support/numbers.js';

interface GrowingMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Neither Node's types nor the ES library describe it. */
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (size: { initial: number; maximum: number; shared?: boolean }) => GrowingMemory;
    };
  }
).WebAssembly;

const PAGE = 65_536;

/** The square of the first number, to the place of the tenth. */
const square = (memory: () => Uint8Array) => {
  const run = kernels!.bind('unary', memory);
  return (at = 0): boolean => run(2, at, at + 36, 1, 0, 0);
};

const numbersOf = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.buffer, bytes.byteOffset);

const BAD_ARGUMENT = expect.objectContaining({ code: 'BAD_ARGUMENT' });

describe.skipIf(!kernels)('the memory of a call', () => {
  it.each([false, true])('may be one of WebAssembly that grows between two calls, shared: %s', (shared) => {
    const memory = new Memory({ initial: 1, maximum: 3, shared });
    let bytes = new Uint8Array(memory.buffer);
    const run = square(() => {
      if (bytes.length !== memory.buffer.byteLength) bytes = new Uint8Array(memory.buffer);
      return bytes;
    });
    numbersOf(bytes)[0] = 3;
    expect(run()).toBe(true);
    expect(() => run(PAGE)).toThrow(`leads outside of the memory of ${PAGE} bytes`);
    memory.grow(2);
    expect(run(PAGE)).toBe(true);
    numbersOf(bytes)[(3 * PAGE - 40) / 4] = 5;
    expect(run(3 * PAGE - 40)).toBe(true);
    expect([numbersOf(bytes)[9], numbersOf(bytes).at(-1)]).toEqual([9, 25]);
    expect(() => run(3 * PAGE - 36)).toThrow(BAD_ARGUMENT);
  });

  it('may be a part of a larger one, in which addresses count from its beginning', () => {
    const whole = new Uint8Array(256);
    const part = whole.subarray(64, 128);
    numbersOf(part)[0] = 4;
    const run = square(() => part);
    expect(run()).toBe(true);
    expect(new Float32Array(whole.buffer)[16 + 9]).toBe(16);
    expect(() => run(28)).toThrow('the memory of 64 bytes');
  });

  it('may be another in every call', () => {
    const [first, second] = [new Uint8Array(64), new Uint8Array(64)];
    let next = first;
    const run = square(() => next);
    for (let i = 1; i < 6; i++) {
      next = i % 2 ? first : second;
      numbersOf(next)[0] = i;
      expect(run()).toBe(true);
      expect(numbersOf(next)[9]).toBe(i * i);
    }
  });

  it('is held by nobody after it is released', () => {
    const bytes = new Uint8Array(64);
    numbersOf(bytes)[0] = 7;
    const run = square(() => bytes);
    run();
    kernels!.release();
    numbersOf(bytes)[0] = 8;
    expect(run()).toBe(true);
    expect(numbersOf(bytes)[9]).toBe(64);
  });

  it('that was given away is an error, and no longer written to', () => {
    const bytes = new Uint8Array(1 << 20);
    const run = square(() => bytes);
    expect(run()).toBe(true);
    const elsewhere = structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    const before = elsewhere.slice();
    new Float32Array(elsewhere)[0] = 3;
    new Float32Array(before)[0] = 3;
    expect(() => run()).toThrow('the memory of 0 bytes');
    expect(Buffer.compare(Buffer.from(elsewhere), Buffer.from(before))).toBe(0);
  });

  it('that has shrunk is as long as it is now', () => {
    const Resizable = ArrayBuffer as unknown as new (
      bytes: number,
      options: { maxByteLength: number },
    ) => ArrayBuffer & { resize(bytes: number): void };
    const buffer = new Resizable(1 << 22, { maxByteLength: 1 << 22 });
    const bytes = new Uint8Array(buffer);
    const run = square(() => bytes);
    expect(run((1 << 22) - 40)).toBe(true);
    buffer.resize(1 << 12);
    expect(() => run((1 << 22) - 40)).toThrow(`the memory of ${1 << 12} bytes`);
    expect(run((1 << 12) - 40)).toBe(true);
    buffer.resize(1 << 22);
    expect(run((1 << 22) - 40)).toBe(true);
  });

  it('has to be an array of bytes', () => {
    const run = kernels!.bind('unary', () => new Float32Array(16) as unknown as Uint8Array);
    expect(() => run(2, 0, 36, 1, 0, 0)).toThrow('Uint8Array');
    const fine = new Uint8Array(64);
    expect(square(() => fine)()).toBe(true);
  });
});

describe.skipIf(!kernels)('two copies of this package in one thread', () => {
  it('compute on the memory that each was given', async () => {
    const copy = (await import('../src/load-kernels.js?copy' as string)) as typeof import('../src/index.js');
    expect(copy.loadKernels).not.toBe((await import('../src/load-kernels.js')).loadKernels);
    const [own, other] = [new Uint8Array(64), new Uint8Array(64)];
    numbersOf(own)[0] = 3;
    numbersOf(other)[0] = 5;
    const ownSquare = square(() => own);
    const otherRun = copy.loadKernels()!.bind('unary', () => other);
    for (let i = 0; i < 3; i++) {
      numbersOf(own).fill(0, 9);
      numbersOf(other).fill(0, 9);
      ownSquare();
      expect([numbersOf(own)[9], numbersOf(other)[9]]).toEqual([9, 0]);
      otherRun(2, 0, 36, 1, 0, 0);
      expect([numbersOf(own)[9], numbersOf(other)[9]]).toEqual([9, 25]);
    }
  });
});

describe.skipIf(!kernels)('a call', () => {
  it('with a wrong number of arguments is an error that names them all', () => {
    const memory = new Uint8Array(64).fill(0xaa);
    const run = kernels!.bind('softmax', () => memory);
    for (const args of [[], [0, 0, 2], [0, 0, 2, 2, 0]]) {
      expect(() => run(...args)).toThrow(BAD_ARGUMENT);
      expect(() => run(...args)).toThrow(
        `softmax takes 4 arguments and was given ${args.length}. Nothing was computed. Pass all of them, in this order: ` +
          'x, out, height, width.',
      );
    }
    expect(memory.every((byte) => byte === 0xaa)).toBe(true);
  });

  it('of a kernel that there is not is an error that lists those that there are', () => {
    for (const name of ['matmul', 'toString', '']) {
      expect(() => kernels!.bind(name, () => new Uint8Array(64))).toThrow(BAD_ARGUMENT);
      expect(() => kernels!.bind(name, () => new Uint8Array(64))).toThrow(`There is no kernel \`${name}\``);
    }
    expect(() => kernels!.bind('matmul', () => new Uint8Array(64))).toThrow('matMul, product');
  });

  it('that was wrong does not spoil the next one', () => {
    const bytes = new Uint8Array(4 * 50);
    const x = floats(10, 1);
    numbersOf(bytes).set(x);
    const run = kernels!.bind('unary', () => bytes);
    for (const wrong of [Number.NaN, -4, 2 ** 40]) {
      expect(() => run(1, wrong, 80, 10, 0, 0)).toThrow(`unary: \`x\` is ${wrong}`);
      expect(run(1, 0, 80, 10, 0, 0)).toBe(true);
      expectBits(
        numbersOf(bytes).slice(20, 30),
        x.map((each) => -each),
      );
    }
  });
});
