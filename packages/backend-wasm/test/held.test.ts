import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { attention, enableTraining } from '../src/index.js';
import { on } from './backends.js';
import type { Case } from './cases/case.js';
import { GROUPS } from './cases/groups.js';
import { random } from './cases/step-makers.js';
import { outcome } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

/** What the backend holds: kernels may forget what tfjs has never seen, and cannot count. */
const held = () => (tf.backend() as unknown as { numDataIds(): number }).numDataIds();
const counts = () => [held(), tf.memory().numTensors, tf.memory().numBytes, tf.memory().numDataBuffers];

/** How much more is held after it; an error counts as an end like any other. */
function left(run: () => unknown): Promise<{ difference: number[]; error: unknown }> {
  return on('wasm', () => {
    const before = counts();
    let error: unknown;
    tf.engine().startScope();
    try {
      run();
    } catch (thrown) {
      error = thrown;
    }
    tf.engine().endScope();
    return { difference: counts().map((count, i) => count - before[i]!), error };
  });
}

const NOTHING = [0, 0, 0, 0];

describe('the backend holds as much after an operation as before', () => {
  it.each(Object.keys(GROUPS))('%s, forwards and backwards', async (group) => {
    const leaking: string[] = [];
    for (const each of GROUPS[group]!().filter((_, i) => i % 3 === 0) as Case[]) {
      await tf.setBackend('wasm');
      const before = counts();
      await outcome('wasm', each);
      if (String(counts()) !== String(before)) leaking.push(each.name);
    }
    expect(leaking).toEqual([]);
  });

  it.each(
    [
      'meanSquaredError',
      'binaryCrossentropy',
      'sigmoidCrossentropy',
      'categoricalCrossentropy',
      'softmaxCrossentropy',
    ].flatMap((name) => (['float32', 'int32', 'bool'] as const).map((dtype) => [name, dtype] as const)),
  )('the loss %s with targets of %s, and its gradient', async (name, dtype) => {
    const { difference, error } = await left(() => {
      const [targets, outputs] = [tf.ones([3, 4], dtype), tf.fill([3, 4], 0.4)];
      wasmAccelerator.loss(name, targets, outputs)!.dispose();
      tf.dispose(tf.valueAndGrad((p) => wasmAccelerator.loss(name, targets, p)!)(outputs));
      tf.dispose([targets, outputs]);
    });
    expect(error).toBeUndefined();
    expect(difference).toEqual(NOTHING);
  });

  it('the norm, statistics and movement of tensors, which make none at all', async () => {
    await on('wasm', () => {
      const [x, y] = [random([7, 5]), random([7, 5], 2)];
      // Memory of their own is taken with the first call, and kept.
      wasmAccelerator.statistics(x);
      const before = [...counts(), tf.engine().state.numTensors];
      wasmAccelerator.norm([x, y]);
      wasmAccelerator.statistics(x);
      wasmAccelerator.movement(x, y);
      expect([...counts(), tf.engine().state.numTensors]).toEqual(before);
    });
  });

  it.each([false, true])('attention, causal %s, and its gradients', async (causal) => {
    const { difference } = await left(() => {
      const [q, k, v] = [random([2, 3, 4], 1), random([2, 5, 4], 2), random([2, 5, 6], 3)] as tf.Tensor3D[];
      const run = (a: tf.Tensor, b: tf.Tensor, c: tf.Tensor) =>
        tf.sum(attention(a as tf.Tensor3D, b as tf.Tensor3D, c as tf.Tensor3D, { heads: 2, causal: false }));
      const same = () => tf.sum(attention(q!, q!, q!, { heads: 2, causal }));
      tf.grads(run)([q!, k!, v!]);
      tf.grad(same)(q!);
    });
    expect(difference).toEqual(NOTHING);
  });

  const LAYERS: Readonly<Record<string, [number[], () => tfl.layers.Layer]>> = {
    dense: [[4, 3], () => tfl.layers.dense({ units: 5, activation: 'relu' })],
    'dense with an activation of its own': [
      [4, 3],
      () => tfl.layers.dense({ units: 5, activation: 'softmax' }),
    ],
    conv2d: [[2, 6, 6, 3], () => tfl.layers.conv2d({ filters: 4, kernelSize: 3, activation: 'tanh' })],
    'batch normalisation': [[4, 3], () => tfl.layers.batchNormalization()],
    'layer normalisation': [[4, 3], () => tfl.layers.layerNormalization()],
    lstm: [[2, 4, 3], () => tfl.layers.lstm({ units: 3, recurrentInitializer: 'glorotUniform' })],
    gru: [[2, 4, 3], () => tfl.layers.gru({ units: 3, recurrentInitializer: 'glorotUniform' })],
  };

  it.each(Object.entries(LAYERS))('a layer, and its gradient: %s', async (_name, [shape, make]) => {
    await tf.setBackend('wasm');
    const layer = make();
    const x = random(shape);
    tf.tidy(() => void layer.apply(x));
    const { difference, error } = await left(() => {
      const apply = (at: tf.Tensor) => tf.sum(tf.square(layer.apply(at, { training: true }) as tf.Tensor));
      tf.grad(apply)(x);
      tf.variableGrads(() => apply(x) as tf.Scalar);
    });
    expect(error).toBeUndefined();
    expect(difference).toEqual(NOTHING);
    layer.dispose();
    x.dispose();
  });
});

describe('the backend holds as much after an error as before', () => {
  const bools = () => tf.tensor1d([1, 0, 1], 'bool');
  const FAILING: Readonly<Record<string, [() => unknown, RegExp]>> = {
    'an index that gather does not find': [
      () => tf.gather(tf.ones([3, 2]), tf.tensor1d([0, 3], 'int32')),
      /the index 3 is not in \[0, 2\]/,
    ],
    'an index below 0': [
      () => tf.gather(tf.ones([3, 2]), tf.tensor1d([0, -1], 'int32'), 1),
      /the index -1 is not in \[0, 1\], the range of axis 1/,
    ],
    'an index of the second batch': [
      () => tf.gather(tf.ones([2, 3]), tf.tensor2d([[0], [7]], [2, 1], 'int32'), 1, 1),
      /the index 7 is not in \[0, 2\]/,
    ],
    'an index that gather does not find among booleans': [
      () => tf.gather(bools(), tf.tensor1d([5], 'int32')),
      /the index 5 is not in \[0, 2\]/,
    ],
    'an update outside of a tensor': [
      () => tf.tensorScatterUpdate(tf.ones([2, 2]), tf.tensor2d([[2]], [1, 1], 'int32'), tf.ones([1, 2])),
      /the index \[2\] is outside/,
    ],
    'matrices that do not fit': [
      () => tf.matMul(tf.ones([2, 3]), tf.ones([2, 3])),
      /\[2,3\] and \[2,3\] cannot be multiplied.*3 columns.*2 rows.*`transposeA`/s,
    ],
    'batches that do not fit': [() => tf.matMul(tf.ones([2, 2, 3]), tf.ones([3, 3, 2])), /broadcast/i],
    'shapes that do not broadcast': [() => tf.add(tf.ones([2, 3]), tf.ones([2])), /broadcast/i],
    'a filter that is larger than its images': [
      () => tf.conv2d(tf.ones([1, 2, 2, 1]) as tf.Tensor4D, tf.ones([4, 4, 1, 1]) as tf.Tensor4D, 1, 'valid'),
      /A filter of shape \[4,4,1,1\] does not fit into images of shape \[1,2,2,1\].*at least 4 rows and 4 columns/,
    ],
    'a slice outside of a tensor': [() => tf.slice(tf.ones([3]), [2], [4]), /begin|size|slice/i],
    'tensors that cannot be joined': [() => tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0), /concat/i],
    'a gradient that throws': [
      () => tf.grad((x) => tf.sum(tf.gather(tf.square(x), tf.tensor1d([9], 'int32'))))(tf.ones([3])),
      /the index 9/,
    ],
  };

  it.each(Object.entries(FAILING))('%s', async (_name, [run, message]) => {
    const { difference, error } = await left(run);
    expect(String((error as Error)?.message)).toMatch(message);
    expect(difference).toEqual(NOTHING);
  });
});
