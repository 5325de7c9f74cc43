import * as tf from '@tensorflow/tfjs-core';

/** What update rules compute with, element by element. Every operation rounds its result to float32. */
export interface Arithmetic<Values> {
  add(a: Values, b: Values): Values;
  sub(a: Values, b: Values): Values;
  div(a: Values, b: Values): Values;
  mul(a: Values, b: Values): Values;
  /** Times a number. */
  scale(a: Values, factor: number): Values;
  /** Plus a number. */
  shift(a: Values, offset: number): Values;
  sqrt(a: Values): Values;
  /** -1, 0 or 1. */
  sign(a: Values): Values;
  /** 0 where it is negative. */
  relu(a: Values): Values;
}

/** The operations of tfjs, for every backend. */
export interface TensorArithmetic extends Arithmetic<tf.Tensor> {
  /** Disposes the numbers it has made tensors of. */
  dispose(): void;
}

/** A number becomes a tensor once for all parameters of a step; tfjs would make one for each operation. */
export function tensorArithmetic(): TensorArithmetic {
  const scalars = new Map<number, tf.Scalar>();
  const scalar = (number: number) => {
    const known = scalars.get(number) ?? tf.keep(tf.scalar(number));
    scalars.set(number, known);
    return known;
  };
  return {
    add: tf.add,
    sub: tf.sub,
    div: tf.div,
    mul: tf.mul,
    scale: (a, factor) => tf.mul(a, scalar(factor)),
    shift: (a, offset) => tf.add(a, scalar(offset)),
    sqrt: tf.sqrt,
    sign: tf.sign,
    relu: tf.relu,
    dispose: () => tf.dispose([...scalars.values()]),
  };
}

/**
 * Plain loops with the bits of the cpu backend, where most of a small network's step is the overhead of the optimizer's
 * operations. Each operation has its own loop, which the compiler can inline; one loop with a callback is slower.
 */
export const ARRAY_ARITHMETIC: Arithmetic<Float32Array> = {
  add: (a, b) => {
    const sum = new Float32Array(a.length);
    for (let i = 0; i < sum.length; i++) sum[i] = a[i]! + b[i]!;
    return sum;
  },
  sub: (a, b) => {
    const difference = new Float32Array(a.length);
    for (let i = 0; i < difference.length; i++) difference[i] = a[i]! - b[i]!;
    return difference;
  },
  div: (a, b) => {
    const quotient = new Float32Array(a.length);
    for (let i = 0; i < quotient.length; i++) quotient[i] = a[i]! / b[i]!;
    return quotient;
  },
  mul: (a, b) => {
    const product = new Float32Array(a.length);
    for (let i = 0; i < product.length; i++) product[i] = a[i]! * b[i]!;
    return product;
  },
  scale: (a, factor) => {
    const product = new Float32Array(a.length);
    const rounded = Math.fround(factor);
    for (let i = 0; i < product.length; i++) product[i] = a[i]! * rounded;
    return product;
  },
  shift: (a, offset) => {
    const sum = new Float32Array(a.length);
    const rounded = Math.fround(offset);
    for (let i = 0; i < sum.length; i++) sum[i] = a[i]! + rounded;
    return sum;
  },
  sqrt: (a) => {
    const root = new Float32Array(a.length);
    for (let i = 0; i < root.length; i++) root[i] = Math.sqrt(a[i]!);
    return root;
  },
  sign: (a) => {
    const sign = new Float32Array(a.length);
    for (let i = 0; i < sign.length; i++) sign[i] = a[i]! > 0 ? 1 : a[i]! < 0 ? -1 : 0;
    return sign;
  },
  relu: (a) => {
    const positive = new Float32Array(a.length);
    for (let i = 0; i < positive.length; i++) positive[i] = Math.max(0, a[i]!);
    return positive;
  },
};
