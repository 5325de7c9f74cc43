import * as tf from '@tensorflow/tfjs-core';

/** What update rules compute with, element by element. Every operation rounds its result to float32. */
export interface Arithmetic<Values> {
  add(a: Values, b: Values): Values;
  sub(a: Values, b: Values): Values;
  div(a: Values, b: Values): Values;
  mul(a: Values, b: Values): Values;
  /** The moving mean that keeps so much of `mean` and takes the rest from `next`. */
  blend(mean: Values, next: Values, kept: number): Values;
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
  const scale = (a: tf.Tensor, factor: number) => tf.mul(a, scalar(factor));
  return {
    add: tf.add,
    sub: tf.sub,
    div: tf.div,
    mul: tf.mul,
    blend: (mean, next, kept) => tf.add(scale(mean, kept), scale(next, 1 - kept)),
    scale,
    shift: (a, offset) => tf.add(a, scalar(offset)),
    sqrt: tf.sqrt,
    sign: tf.sign,
    relu: tf.relu,
    dispose: () => tf.dispose([...scalars.values()]),
  };
}
