import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { guardAllocation, Scratch } from '../src/backend/memory.js';
import type { WasmBackend } from '../src/backend/wasm-backend.js';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { random } from './cases/step-makers.js';

beforeAll(async () => {
  await enableTraining();
  await tf.setBackend('wasm');
});

const backend = () => tf.backend() as unknown as WasmBackend;
const held = () => (tf.backend() as unknown as { numDataIds(): number }).numDataIds();

/** A backend that only counts what is allocated, one block after the other. */
function counting(limit = Number.POSITIVE_INFINITY) {
  const open = new Map<number, number>();
  let next = 8;
  const wasm = {
    HEAPU8: new Uint8Array(2 ** 21),
    _malloc: (bytes: number) => {
      if (bytes > limit) return 0;
      const address = next;
      next += bytes + 8;
      open.set(address, bytes);
      return address;
    },
    _free: (address: number) => {
      if (!open.delete(address)) throw new Error(`${address} is not allocated`);
    },
  };
  return { backend: { wasm } as unknown as WasmBackend, open };
}

describe('scratch memory', () => {
  it('is reused under its name, and grows to the largest size needed', () => {
    const { backend: fake, open } = counting();
    const scratch = new Scratch(fake);
    const first = scratch.take('a', 100);
    expect(scratch.take('a', 60)).toBe(first);
    expect(scratch.take('a', 100)).toBe(first);
    expect(open.size).toBe(1);
    scratch.take('a', 1000);
    expect(open.size).toBe(1);
    expect([...open.values()][0]).toBeGreaterThanOrEqual(1000);
  });

  it('is separate for every name, aligned to 64 bytes, and within what was allocated', () => {
    const { backend: fake, open } = counting();
    const scratch = new Scratch(fake);
    const taken = [1, 7, 64, 1000].map((bytes, i) => ({ at: scratch.take(`${i}`, bytes), bytes }));
    for (const { at, bytes } of taken) {
      expect(at % 64).toBe(0);
      const inside = [...open].some(([start, size]) => at >= start && at + bytes <= start + size);
      expect(inside).toBe(true);
    }
    expect(new Set(taken.map(({ at }) => at)).size).toBe(4);
  });

  it('is all freed at the end', () => {
    const { backend: fake, open } = counting();
    const scratch = new Scratch(fake);
    for (const name of ['a', 'b', 'c']) scratch.take(name, 10);
    scratch.take('b', 10_000);
    scratch.free();
    expect(open.size).toBe(0);
    scratch.free();
  });
});

describe('the guard of allocations', () => {
  it('turns an address of 0 into an error that says what to do', () => {
    const { backend: fake } = counting(2 ** 20);
    guardAllocation(fake);
    expect(fake.wasm._malloc(100)).toBeGreaterThan(0);
    expect(() => fake.wasm._malloc(3 * 2 ** 20)).toThrow(
      expect.objectContaining({
        code: 'OUT_OF_MEMORY',
        message: expect.stringMatching(/3 MB more were asked for, it has grown to 2 MB.*smaller batches/s),
      }),
    );
  });

  it('is put up once', () => {
    const { backend: fake } = counting();
    guardAllocation(fake);
    const guarded = fake.wasm._malloc;
    guardAllocation(fake);
    expect(fake.wasm._malloc).toBe(guarded);
  });
});

describe('training', () => {
  const MODELS: Readonly<Record<string, [number[], () => tfl.layers.Layer[]]>> = {
    dense: [[6], () => [tfl.layers.dense({ units: 5, activation: 'relu' }), tfl.layers.dense({ units: 2 })]],
    convolutions: [
      [8, 8, 2],
      () => [
        tfl.layers.conv2d({ filters: 3, kernelSize: 3, strides: 2, activation: 'relu' }),
        tfl.layers.batchNormalization(),
        tfl.layers.flatten(),
        tfl.layers.dense({ units: 2 }),
      ],
    ],
    'recurrent layers': [
      [5, 3],
      () => [
        tfl.layers.lstm({ units: 4, returnSequences: true, recurrentInitializer: 'glorotUniform' }),
        tfl.layers.gru({ units: 3, recurrentInitializer: 'glorotUniform' }),
        tfl.layers.layerNormalization(),
        tfl.layers.dense({ units: 2 }),
      ],
    ],
  };

  it.each(Object.entries(MODELS))(
    'of %s holds no more after many steps than after one',
    (_name, [shape, make]) => {
      const [first, ...rest] = make();
      const model = tfl.sequential({
        layers: [tfl.layers.inputLayer({ inputShape: shape }), first!, ...rest],
      });
      const optimizer = tf.train.adam(0.01);
      const step = (i: number) =>
        tf.tidy(() => {
          const x = random([4, ...shape], i);
          const loss = () => tf.mean(tf.square(model.apply(x, { training: true }) as tf.Tensor)) as tf.Scalar;
          optimizer.minimize(loss);
        });
      for (let i = 0; i < 3; i++) step(i);
      const before = [tf.memory(), held(), backend().wasm.HEAPU8.length];
      for (let i = 0; i < 40; i++) step(i);
      expect([tf.memory(), held(), backend().wasm.HEAPU8.length]).toEqual(before);
      optimizer.dispose();
      model.dispose();
    },
  );

  it('leaves nothing behind when an index of an embedding is out of range', async () => {
    await on('wasm', () => {
      const [table, bad] = [tf.ones([3, 2]), tf.tensor1d([0, 9], 'int32')];
      const before = [tf.memory().numTensors, held()];
      expect(() => tf.gather(table, bad)).toThrow('the index 9 is not in [0, 2], the range of axis 0');
      expect([tf.memory().numTensors, held()]).toEqual(before);
    });
  });

  it('leaves nothing behind when an update is outside of a tensor', async () => {
    await on('wasm', () => {
      const [x, at, values] = [tf.ones([3, 2]), tf.tensor2d([[7]], [1, 1], 'int32'), tf.ones([1, 2])];
      const before = held();
      expect(() => tf.tensorScatterUpdate(x, at, values)).toThrow(
        expect.objectContaining({
          code: 'BAD_INDEX',
          message: 'tensorScatterUpdate: the index [7] is outside of a tensor of shape [3,2].',
        }),
      );
      expect(held()).toBe(before);
    });
  });
});
