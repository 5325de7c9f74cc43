import * as tf from '@tensorflow/tfjs-core';

/** A reduction as steps over the middle axis of [outer, count, inner], from the last axes to the first. */
export interface ReducePlan {
  readonly shape: number[];
  readonly steps: readonly { outer: number; count: number; inner: number }[];
}

export function reducePlan(shape: number[], axis: number | number[], keepDims: boolean): ReducePlan {
  const axes = new Set(tf.util.parseAxisParam(axis, shape));
  const steps: { outer: number; count: number; inner: number }[] = [];
  let inner = 1;
  for (let i = shape.length - 1; i >= 0; ) {
    let group = 1;
    const reduced = axes.has(i);
    for (; i >= 0 && axes.has(i) === reduced; i--) group *= shape[i]!;
    if (!reduced) inner *= group;
    else if (group !== 1) {
      const outer = shape.slice(0, i + 1).reduce((product, size) => product * size, 1);
      steps.push({ outer, count: group, inner });
    }
  }
  const kept = shape.flatMap((size, i) => (axes.has(i) ? (keepDims ? [1] : []) : [size]));
  return { shape: kept, steps };
}
