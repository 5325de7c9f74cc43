import type { Tensor } from '@tensorflow/tfjs-core';

/** What is wrong in one tensor. */
export interface NonFiniteValues {
  /** `dense_1/kernel` of a weight or gradient, `xs` or `ys/label` of a batch. */
  readonly path: string;
  readonly nan: number;
  readonly infinite: number;
  readonly size: number;
  /** Where the first such value is, one number for each dimension. */
  readonly first: readonly number[];
}

/** Those of the tensors that hold NaN or infinity. Reads them all: for when something is known to be wrong. */
export async function nonFiniteAmong(
  tensors: Iterable<readonly [path: string, tensor: Tensor]>,
): Promise<NonFiniteValues[]> {
  const found: NonFiniteValues[] = [];
  for (const [path, tensor] of tensors) {
    const values = countNonFinite(path, await tensor.data(), tensor.shape);
    if (values) found.push(values);
  }
  return found;
}

export function countNonFinite(
  path: string,
  values: ArrayLike<number | string>,
  shape: readonly number[],
): NonFiniteValues | undefined {
  let [nan, infinite, first] = [0, 0, -1];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== 'number' || Number.isFinite(value)) continue;
    if (Number.isNaN(value)) nan++;
    else infinite++;
    if (first < 0) first = i;
  }
  if (first < 0) return undefined;
  return { path, nan, infinite, size: values.length, first: positionOf(first, shape) };
}

/** `3 NaN and 1 infinite of 640 values, first at [5, 0]` */
export function describeValues({ nan, infinite, size, first }: Omit<NonFiniteValues, 'path'>): string {
  const counts = [nan > 0 && `${nan} NaN`, infinite > 0 && `${infinite} infinite`].filter(Boolean);
  const where = first.length > 0 ? `, first at [${first.join(', ')}]` : '';
  return `${counts.join(' and ')} of ${size} ${size === 1 ? 'value' : 'values'}${where}`;
}

function positionOf(index: number, shape: readonly number[]): number[] {
  const position: number[] = [];
  let rest = index;
  for (const size of [...shape].reverse()) {
    position.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return position;
}
