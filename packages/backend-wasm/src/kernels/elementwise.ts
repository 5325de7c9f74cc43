import type { Tensor } from '../backend.js';
import { type KernelContext, sizeOf } from '../kernel-context.js';
import type { Address } from '../module/exports.js';
import { broadcastPlan } from '../shapes/broadcast-plan.js';

/** Codes of assembly/unary.ts. */
export const UNARY = {
  abs: 0,
  neg: 1,
  square: 2,
  sqrt: 3,
  rsqrt: 4,
  reciprocal: 5,
  exp: 6,
  log: 7,
  tanh: 8,
  sigmoid: 9,
  softplus: 10,
  relu: 11,
  relu6: 12,
  leakyRelu: 13,
  elu: 14,
  selu: 15,
  clip: 16,
  step: 17,
  sign: 18,
} as const;

/** Codes of assembly/binary.ts. */
export const BINARY = {
  add: 0,
  sub: 1,
  mul: 2,
  div: 3,
  maximum: 4,
  minimum: 5,
  squaredDifference: 6,
  prelu: 7,
  reluGradient: 8,
  sigmoidGradient: 9,
  tanhGradient: 10,
  eluGradient: 11,
  relu6Gradient: 12,
} as const;

/** Codes of assembly/compare.ts. */
export const COMPARE = { greater: 0, greaterEqual: 1, less: 2, lessEqual: 3, equal: 4, notEqual: 5 } as const;

export function unaryOf(context: KernelContext, x: Tensor, code: number, a = 0, b = 0): Tensor {
  const out = context.output(x.shape);
  context.module.unary(code, context.address(x), context.address(out), sizeOf(x), a, b);
  return out;
}

export function binaryOf(context: KernelContext, a: Tensor, b: Tensor, code: number): Tensor {
  return broadcast(context, a, b, code, 'binary');
}

export function compareOf(context: KernelContext, a: Tensor, b: Tensor, code: number): Tensor {
  return broadcast(context, a, b, code, 'compare');
}

function broadcast(
  context: KernelContext,
  a: Tensor,
  b: Tensor,
  code: number,
  kind: 'binary' | 'compare',
): Tensor {
  const { shape, parts, steps } = broadcastPlan(a.shape, b.shape);
  const out = context.output(shape, kind === 'binary' ? 'float32' : 'bool');
  if (sizeOf(out) === 0) return out;
  const [inA, inB, inOut] = [context.address(a), context.address(b), context.address(out)];
  const width = kind === 'binary' ? 4 : 1;
  for (const part of parts) {
    context.module[kind](code, inA + part.a * 4, inB + part.b * 4, inOut + part.out * width, ...steps);
  }
  return out;
}

/** x becomes f(x, b), where b broadcasts to the shape of x. */
export function binaryInPlace(
  { module }: KernelContext,
  x: Address,
  shape: number[],
  b: Address,
  shapeB: number[],
  code: number,
): void {
  const { parts, steps } = broadcastPlan(shape, shapeB);
  for (const part of parts) module.binary(code, x + part.a * 4, b + part.b * 4, x + part.out * 4, ...steps);
}
