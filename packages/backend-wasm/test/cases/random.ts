import * as tf from '@tensorflow/tfjs-core';
import { numbers } from '../backends.js';
import { type AnyTensor, type Case, indices, input } from './case.js';

/** Cases with random shapes, strides, paddings and axes: the same ones for the same seed. */
export function randomCases(seed: number, count: number): Case[] {
  const random = numbers(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const makers = [
    matMul,
    conv,
    depthwise,
    pool,
    broadcast,
    reduction,
    permutation,
    slice,
    gathered,
    resized,
    volume,
  ];
  return Array.from({ length: count }, (_, i) => makers[i % makers.length]!({ upTo, oneOf, random }));
}

interface Dice {
  upTo(most: number): number;
  oneOf<Value>(values: readonly Value[]): Value;
  random(): number;
}

function matMul({ upTo, oneOf }: Dice): Case {
  const [m, k, n] = [upTo(20), upTo(40), upTo(20)];
  const batch = oneOf([[], [], [upTo(3)], [upTo(2), upTo(3)]]);
  const [ta, tb] = [oneOf([true, false]), oneOf([true, false])];
  const a = [...batch, ...(ta ? [k, m] : [m, k])];
  const b = [...batch, ...(tb ? [n, k] : [k, n])];
  return {
    name: `matMul [${a}] [${b}] ${ta} ${tb}`,
    inputs: [input(a), input(b)],
    run: (x: AnyTensor, y: AnyTensor) => tf.matMul(x, y, ta, tb),
  };
}

function conv({ upTo, oneOf }: Dice): Case {
  const filter = [upTo(4), upTo(4), upTo(6), upTo(10)];
  const x = [upTo(3), filter[0]! + upTo(8), filter[1]! + upTo(8), filter[2]!];
  const strides: [number, number] = [upTo(3), upTo(3)];
  const pad = oneOf(['same', 'valid', 1] as const);
  return {
    name: `conv2d [${x}] [${filter}] ${strides} ${pad}`,
    inputs: [input(x), input(filter)],
    run: (image: AnyTensor, w: AnyTensor) =>
      tf.conv2d(image, w, strides, pad, 'NHWC', 1, pad === 1 ? 'floor' : undefined),
  };
}

function depthwise({ upTo, oneOf }: Dice): Case {
  const filter = [upTo(4), upTo(4), upTo(9), upTo(2)];
  const x = [upTo(2), filter[0]! + upTo(6), filter[1]! + upTo(6), filter[2]!];
  const stride = upTo(2);
  const pad = oneOf(['same', 'valid'] as const);
  return {
    name: `depthwiseConv2d [${x}] [${filter}] ${stride} ${pad}`,
    inputs: [input(x), input(filter)],
    run: (image: AnyTensor, w: AnyTensor) => tf.depthwiseConv2d(image, w, stride, pad),
  };
}

function pool({ upTo, oneOf, random }: Dice): Case {
  const size: [number, number] = [upTo(3), upTo(3)];
  const x = [upTo(2), size[0] + upTo(6), size[1] + upTo(6), upTo(9)];
  const strides: [number, number] = [upTo(3), upTo(3)];
  const pad = oneOf(['same', 'valid'] as const);
  const kind = oneOf([tf.maxPool, tf.avgPool]);
  const low = random() < 0.5 ? -1 : -3;
  return {
    name: `${kind.name} [${x}] ${size} ${strides} ${pad}`,
    inputs: [input(x, [low, low + 2])],
    run: (image: AnyTensor) => kind(image, size, strides, pad) as tf.Tensor,
  };
}

function broadcast({ upTo, oneOf }: Dice): Case {
  const shape = Array.from({ length: upTo(5) }, () => upTo(4));
  const part = () => shape.map((size) => oneOf([size, size, 1])).slice(oneOf([0, 0, 1]));
  const [a, b] = [part(), part()];
  const kind = oneOf([tf.add, tf.sub, tf.mul, tf.div]);
  return {
    name: `${kind.name} [${a}] [${b}]`,
    inputs: [input(a, [0.5, 2]), input(b, [0.5, 2])],
    run: (x: AnyTensor, y: AnyTensor) => kind(x, y),
  };
}

function reduction({ upTo, oneOf, random }: Dice): Case {
  const shape = Array.from({ length: upTo(5) }, () => upTo(6));
  const axes = shape.map((_, axis) => axis).filter(() => random() < 0.5);
  const kind = oneOf([tf.sum, tf.mean, tf.max, tf.min]);
  const keep = oneOf([true, false]);
  return {
    name: `${kind.name} [${shape}] ${axes} ${keep}`,
    inputs: [input(shape)],
    run: (x: AnyTensor) => kind(x, axes.length > 0 ? axes : undefined, keep) as tf.Tensor,
  };
}

function permutation({ upTo, random }: Dice): Case {
  const shape = Array.from({ length: upTo(6) }, () => upTo(5));
  const order = shape.map((_, axis) => ({ axis, key: random() })).sort((a, b) => a.key - b.key);
  const perm = order.map(({ axis }) => axis);
  return {
    name: `transpose [${shape}] ${perm}`,
    inputs: [input(shape)],
    run: (x: AnyTensor) => tf.transpose(x, perm),
  };
}

function slice({ upTo }: Dice): Case {
  const shape = Array.from({ length: upTo(4) }, () => upTo(6));
  const begin = shape.map((size) => upTo(size) - 1);
  const size = shape.map((whole, axis) => upTo(whole - begin[axis]!));
  return {
    name: `slice [${shape}] ${begin} ${size}`,
    inputs: [input(shape)],
    run: (x: AnyTensor) => tf.slice(x, begin, size),
  };
}

function gathered({ upTo }: Dice): Case {
  const shape = Array.from({ length: upTo(3) }, () => upTo(6));
  const axis = upTo(shape.length) - 1;
  return {
    name: `gather [${shape}] ${axis}`,
    inputs: [input(shape), indices([upTo(5)], shape[axis]!)],
    run: (x: AnyTensor, i: AnyTensor) => tf.gather(x, i, axis),
    gradients: [0],
  };
}

function resized({ upTo, oneOf }: Dice): Case {
  // cpu misreads the gradient of further images.
  const x = [1, 1 + upTo(7), 1 + upTo(7), upTo(5)];
  const size: [number, number] = [upTo(12), upTo(12)];
  const kind = oneOf([tf.image.resizeBilinear, tf.image.resizeNearestNeighbor]);
  const alignCorners = oneOf([true, false]);
  return {
    name: `${kind.name} [${x}] ${size} ${alignCorners}`,
    inputs: [input(x)],
    run: (image: AnyTensor) => kind(image, size, alignCorners),
    // Its gradient on cpu has height and width in the wrong order where they differ.
    gradients: kind === tf.image.resizeBilinear && x[1] !== x[2] ? [] : [0],
  };
}

function volume({ upTo, oneOf }: Dice): Case {
  const size = upTo(3);
  // cpu is wrong where strides are larger than windows.
  const stride = upTo(size);
  const x = [upTo(2), size + upTo(4), size + upTo(4), size + upTo(4), upTo(5)];
  const pad = oneOf(['same', 'valid'] as const);
  const kind = oneOf([tf.maxPool3d, tf.avgPool3d]);
  return {
    name: `${kind.name} [${x}] ${size} ${stride} ${pad}`,
    inputs: [input(x, [-3, -1])],
    run: (image: AnyTensor) => kind(image, size, stride, pad) as tf.Tensor,
  };
}
