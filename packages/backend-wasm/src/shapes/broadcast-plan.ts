import * as tf from '@tensorflow/tfjs-core';
import type { BroadcastSteps } from '../module/exports.js';

/** How to walk two shapes together; neighbouring axes are joined where both advance alike. */
export interface BroadcastPlan {
  readonly shape: number[];
  /** For each part of the result, of which there is usually one: where it begins, in elements. */
  readonly parts: readonly { a: number; b: number; out: number }[];
  readonly steps: BroadcastSteps;
}

export function broadcastPlan(a: number[], b: number[]): BroadcastPlan {
  if (tf.util.arraysEqual(a, b)) return samePlan(a);
  const shape = tf.broadcast_util.assertAndGetBroadcastShape(a, b);
  const { sizes, stepsA, stepsB } = joinedAxes(shape, a, b);
  while (sizes.length < 3) {
    sizes.unshift(1);
    stepsA.unshift(0);
    stepsB.unshift(0);
  }
  const outer = sizes.length - 3;
  const [n0, n1, n2] = sizes.slice(outer) as [number, number, number];
  const [a0, a1, a2] = stepsA.slice(outer) as [number, number, number];
  const [b0, b1, b2] = stepsB.slice(outer) as [number, number, number];
  const parts: { a: number; b: number; out: number }[] = [];
  const count = sizes.slice(0, outer).reduce((product, size) => product * size, 1);
  for (let i = 0; i < count; i++) {
    let [rest, inA, inB] = [i, 0, 0];
    for (let axis = outer - 1; axis >= 0; axis--) {
      const index = rest % sizes[axis]!;
      rest = (rest - index) / sizes[axis]!;
      inA += index * stepsA[axis]!;
      inB += index * stepsB[axis]!;
    }
    parts.push({ a: inA, b: inB, out: i * n0 * n1 * n2 });
  }
  return { shape, parts, steps: [n0, n1, n2, a0, a1, a2, b0, b1, b2] };
}

function samePlan(shape: number[]): BroadcastPlan {
  const size = tf.util.sizeFromShape(shape);
  return { shape, parts: [{ a: 0, b: 0, out: 0 }], steps: [1, 1, size, 0, 0, 1, 0, 0, 1] };
}

function joinedAxes(shape: number[], a: number[], b: number[]) {
  const sizes: number[] = [];
  const stepsA: number[] = [];
  const stepsB: number[] = [];
  let [lengthA, lengthB] = [1, 1];
  // From the last axis to the first; the result is reversed at the end.
  for (let i = 1; i <= shape.length; i++) {
    const size = shape[shape.length - i]!;
    const [hasA, hasB] = [(a[a.length - i] ?? 1) > 1, (b[b.length - i] ?? 1) > 1];
    if (size === 1) continue;
    const last = sizes.length - 1;
    if (last >= 0 && hasA === stepsA[last]! > 0 && hasB === stepsB[last]! > 0) {
      sizes[last] = sizes[last]! * size;
    } else {
      sizes.push(size);
      stepsA.push(hasA ? lengthA : 0);
      stepsB.push(hasB ? lengthB : 0);
    }
    if (hasA) lengthA *= size;
    if (hasB) lengthB *= size;
  }
  if (sizes.length === 0) {
    sizes.push(1);
    stepsA.push(1);
    stepsB.push(1);
  }
  return { sizes: sizes.reverse(), stepsA: stepsA.reverse(), stepsB: stepsB.reverse() };
}
