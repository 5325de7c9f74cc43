import { call } from './bench.js';

/** The codes of `unary`, in order. */
export const UNARY = [
  ...['abs', 'neg', 'square', 'sqrt', 'rsqrt', 'reciprocal', 'exp', 'log', 'tanh', 'sigmoid'],
  ...['softplus', 'relu', 'relu6', 'leakyRelu', 'elu', 'selu', 'clip', 'step', 'sign', 'powHalf'],
];

/** A function of single numbers as the addon computes it, with up to two numbers of its own. */
export function unary(name: string, x: Float32Array, a = 0, b = 0): Float32Array {
  const values = { code: UNARY.indexOf(name), n: x.length, a, b };
  return call('unary', { inputs: { x }, outputs: { out: x.length }, values }).out!;
}
