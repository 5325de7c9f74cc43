import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { broadcastPlan } from '../shapes/broadcast-plan.js';

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
