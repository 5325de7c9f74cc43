import type * as tf from '@tensorflow/tfjs-core';

/** An operation on tensors of random numbers, whose results and gradients are compared between cpu and wasm. */
export interface Case {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly run: (...tensors: never[]) => tf.Tensor | tf.Tensor[];
  /** Which inputs are differentiated: all floats when absent. */
  readonly gradients?: readonly number[];
  /** How far numbers may be apart, relative to the largest; 1e-5 when absent. */
  readonly tolerance?: number;
}

export interface Input {
  readonly shape: number[];
  readonly dtype?: 'float32' | 'int32' | 'bool';
  /** Floats lie between these, -1 and 1 when absent; integers from the first up to the second. */
  readonly range?: readonly [number, number];
}

export function input(shape: number[], range?: readonly [number, number]): Input {
  return range ? { shape, range } : { shape };
}

export function indices(shape: number[], below: number): Input {
  return { shape, dtype: 'int32', range: [0, below] };
}

// biome-ignore lint/suspicious/noExplicitAny: operations take tensors of whatever rank the case has.
export type AnyTensor = any;
