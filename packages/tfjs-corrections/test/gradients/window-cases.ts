import { numbers } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as reference from './window-reference.js';

type Pool = (x: tf.Tensor, each: PoolCase) => tf.Tensor;

const POOLS: Record<string, { dimensions: 2 | 3; kind: 'max' | 'avg'; run: Pool }> = {
  maxPool: {
    dimensions: 2,
    kind: 'max',
    run: (x, { sizes, strides, pad, rounding }) =>
      tf.maxPool(x as tf.Tensor4D, sizes as [number, number], strides as [number, number], pad, rounding),
  },
  avgPool: {
    dimensions: 2,
    kind: 'avg',
    run: (x, { sizes, strides, pad, rounding }) =>
      tf.avgPool(x as tf.Tensor4D, sizes as [number, number], strides as [number, number], pad, rounding),
  },
  maxPoolWithArgmax: {
    dimensions: 2,
    kind: 'max',
    run: (x, { sizes, strides, pad, rounding }) =>
      // It has no rounding mode.
      rounding
        ? tf.maxPool(x as tf.Tensor4D, sizes as [number, number], strides as [number, number], pad, rounding)
        : tf.maxPoolWithArgmax(x as tf.Tensor4D, sizes as [number, number], strides as [number, number], pad)
            .result!,
  },
  maxPool3d: {
    dimensions: 3,
    kind: 'max',
    run: (x, { sizes, strides, pad, rounding }) =>
      tf.maxPool3d(x as tf.Tensor5D, sizes as Three, strides as Three, pad, rounding),
  },
  avgPool3d: {
    dimensions: 3,
    kind: 'avg',
    run: (x, { sizes, strides, pad, rounding }) =>
      tf.avgPool3d(x as tf.Tensor5D, sizes as Three, strides as Three, pad, rounding),
  },
};
type Three = [number, number, number];

export const POOL_NAMES = Object.keys(POOLS);

/** Which of some random pools of this kind the active backend gets wrong, forward or backward. */
export function wrongPools(name: string, seed: number, count: number): string[] {
  const { dimensions, kind, run } = POOLS[name]!;
  return poolCases(dimensions, seed, count).flatMap((each) => {
    const expected = pooled(each, kind);
    if (!expected) return [];
    return difference((x) => run(x, each), each.x, each.shape, expected).map(
      (what) => `${each.name}: ${what}`,
    );
  });
}

export const RESIZE_FLAGS: [string, reference.ResizeFlags][] = [
  ['plain', { alignCorners: false, halfPixelCenters: false }],
  ['alignCorners', { alignCorners: true, halfPixelCenters: false }],
  ['halfPixelCenters', { alignCorners: false, halfPixelCenters: true }],
];

/** Which resizes between these heights, and some widths, the active backend gets wrong, forward or backward. */
export function wrongResizes(
  flags: reference.ResizeFlags,
  heights: readonly number[],
  newHeights: readonly number[],
): string[] {
  const wrong: string[] = [];
  for (const kind of ['bilinear', 'nearest'] as const)
    for (const height of heights)
      for (const newHeight of newHeights)
        for (const [width, newWidth] of [
          [1, 3],
          [3, 1],
          [4, 6],
        ] as const) {
          const shape = [2, height, width, 2];
          const x = numbers(tf.util.sizeFromShape(shape), height + newHeight);
          const axes = [
            reference.resampled(kind, height, newHeight, flags),
            reference.resampled(kind, width, newWidth, flags),
          ];
          const expected = reference.sample(x, shape, axes, weight, reference.weighted);
          const resize = kind === 'bilinear' ? tf.image.resizeBilinear : tf.image.resizeNearestNeighbor;
          const compute: Compute = (images) =>
            resize(images as tf.Tensor4D, [newHeight, newWidth], flags.alignCorners, flags.halfPixelCenters);
          const name = `${kind} [${height}, ${width}] to [${newHeight}, ${newWidth}]`;
          wrong.push(...difference(compute, x, shape, expected).map((what) => `${name}: ${what}`));
        }
  return wrong;
}

type Compute = (x: tf.Tensor) => tf.Tensor;

/** What differs from the reference: the shape, the values or the gradient. */
function difference(compute: Compute, x: number[], shape: number[], expected: reference.Sampled): string[] {
  return tf.tidy(() => {
    const input = tf.tensor(x, shape);
    const y = compute(input);
    if (String(y.shape) !== String(expected.shape)) return [`shape [${y.shape}] for [${expected.shape}]`];
    const dy = tf.tensor(
      Array.from({ length: y.size }, (_, i) => weight(i)),
      y.shape,
    );
    const dx = tf.grad(compute)(input, dy);
    return [
      ['value', y.dataSync(), expected.values] as const,
      ['gradient', dx.dataSync(), expected.gradient] as const,
    ].flatMap(([what, found, wanted]) => {
      const at = wanted.findIndex((value, i) => !(Math.abs(found[i]! - value) < 1e-4));
      return at < 0 ? [] : [`${what} ${at}: ${found[at]} for ${wanted[at]}`];
    });
  });
}

const weight = (i: number) => Math.cos(i * 0.7);
const oneOf = <Value>(values: readonly Value[], random: number): Value =>
  values[Math.floor(((random + 1) / 2) * values.length) % values.length]!;

interface PoolCase {
  name: string;
  shape: number[];
  x: number[];
  sizes: number[];
  strides: number[];
  pad: reference.Padding;
  rounding?: reference.Rounding;
}

/** Random pools over images or volumes; numbers with ties and below zero, where kernels go wrong. */
function poolCases(dimensions: number, seed: number, count: number): PoolCase[] {
  return Array.from({ length: count }, (_, k) => {
    const i = seed * 10_000 + k;
    const dice = numbers(20, 31 * dimensions + i);
    const at = (axis: number) => dice.slice(axis * 3, axis * 3 + 3) as [number, number, number];
    const axes = Array.from({ length: dimensions }, (_, axis) => at(axis));
    const sizes = axes.map(([size]) => oneOf([1, 2, 3], size));
    const strides = axes.map(([, stride]) => oneOf([1, 2, 3], stride));
    const shape = [2, ...axes.map(([, , size], axis) => sizes[axis]! + oneOf([0, 1, 3], size)), 2];
    const pad = oneOf(['same', 'valid', 1] as const, dice[15]!);
    // A window that is all padding has no value, and tfjs takes windows with padding in numbers for square.
    const usable = pad === 1 && (sizes.includes(1) || !isSquare(sizes, strides)) ? 'same' : pad;
    const rounding = usable === 1 ? oneOf(['floor', 'ceil', 'round'] as const, dice[16]!) : undefined;
    const x = numbers(tf.util.sizeFromShape(shape), i).map((value) => Math.round(value * 3 - 2) / 2);
    const name = `[${shape}] window ${sizes} strides ${strides} ${usable} ${rounding ?? ''}`;
    return { name, shape, x, sizes, strides, pad: usable, ...(rounding && { rounding }) };
  });
}

function isSquare(sizes: number[], strides: number[]): boolean {
  return new Set(sizes).size === 1 && new Set(strides).size === 1;
}

function pooled({ shape, x, sizes, strides, pad, rounding }: PoolCase, kind: 'max' | 'avg') {
  const axes = sizes.map((window, axis) =>
    reference.windows({ size: shape[axis + 1]!, window, stride: strides[axis]! }, pad, rounding),
  );
  // Rounding up may add a window that covers nothing.
  if (axes.some((windows) => windows.some(({ length }) => length === 0))) return undefined;
  return reference.sample(x, shape, axes, weight, kind === 'max' ? reference.largest : reference.mean);
}
