/** Pooling and resizing the obvious way, in double precision, in any number of dimensions. */

/** The elements of one axis that an output element is made of, and with which weight. */
type Taps = readonly { at: number; weight: number }[];

export interface PoolAxis {
  size: number;
  window: number;
  stride: number;
}

export type Padding = 'same' | 'valid' | number;
export type Rounding = 'floor' | 'ceil' | 'round';

/** For each window along an axis the elements that it covers. */
export function windows(
  { size, window, stride }: PoolAxis,
  pad: Padding,
  rounding: Rounding = 'floor',
): Taps[] {
  const same = Math.max(0, (Math.ceil(size / stride) - 1) * stride + window - size);
  const before = pad === 'same' ? Math.floor(same / 2) : pad === 'valid' ? 0 : pad;
  const fitting = (size - window + (typeof pad === 'number' ? 2 * pad : 0)) / stride;
  const count =
    pad === 'same' ? Math.ceil(size / stride) : Math[pad === 'valid' ? 'floor' : rounding](fitting) + 1;
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: window }, (_, k) => ({ at: i * stride - before + k, weight: 1 })).filter(
      ({ at }) => at >= 0 && at < size,
    ),
  );
}

export interface ResizeFlags {
  alignCorners: boolean;
  halfPixelCenters: boolean;
}

/** For each element of a resized axis where it is taken from, as TensorFlow defines it. */
export function resampled(
  kind: 'bilinear' | 'nearest',
  size: number,
  newSize: number,
  { alignCorners, halfPixelCenters }: ResizeFlags,
): Taps[] {
  const isAligned = alignCorners && newSize > 1;
  const scale = isAligned ? (size - 1) / (newSize - 1) : size / newSize;
  return Array.from({ length: newSize }, (_, i) => {
    if (kind === 'nearest') {
      const at = (i + (halfPixelCenters ? 0.5 : 0)) * scale;
      return [{ at: Math.min(size - 1, alignCorners ? Math.round(at) : Math.floor(at)), weight: 1 }];
    }
    const at = Math.max(0, halfPixelCenters ? (i + 0.5) * scale - 0.5 : i * scale);
    const low = Math.min(size - 1, Math.floor(at));
    const lerp = at - Math.floor(at);
    const high = Math.min(size - 1, low + 1);
    return [
      { at: low, weight: 1 - lerp },
      { at: high, weight: lerp },
    ];
  });
}

export interface Sampled {
  shape: number[];
  values: number[];
  gradient: number[];
}

/**
 * Goes through the elements of the result of x [batch, ...axes, channels]; `combine` says what one is made of and which
 * share of its gradient each place of x gets.
 */
export function sample(
  x: ArrayLike<number>,
  shape: readonly number[],
  axes: readonly Taps[][],
  dy: (index: number) => number,
  combine: (values: number[], weights: number[]) => { value: number; shares: number[] },
): Sampled {
  const [batch, channels] = [shape[0]!, shape.at(-1)!];
  const outShape = [batch, ...axes.map(({ length }) => length), channels];
  const gradient = new Array<number>(x.length).fill(0);
  const values: number[] = [];
  const visit = (axis: number, places: { place: number; weight: number }[]): void => {
    if (axis < axes.length) {
      for (const taps of axes[axis]!) {
        const next = places.flatMap(({ place, weight }) =>
          taps.map((tap) => ({ place: place * shape[axis + 1]! + tap.at, weight: weight * tap.weight })),
        );
        visit(axis + 1, next);
      }
      return;
    }
    for (let c = 0; c < channels; c++) {
      const at = places.map(({ place }) => place * channels + c);
      const { value, shares } = combine(
        at.map((place) => x[place]!),
        places.map(({ weight }) => weight),
      );
      const own = dy(values.length);
      for (const [i, place] of at.entries()) gradient[place]! += shares[i]! * own;
      values.push(value);
    }
  };
  for (let image = 0; image < batch; image++) visit(0, [{ place: image, weight: 1 }]);
  return { shape: outShape, values, gradient };
}

/** The largest, whose gradient goes to the first of several, as in PyTorch. */
export function largest(values: number[]): { value: number; shares: number[] } {
  const value = Math.max(...values);
  const first = values.indexOf(value);
  return { value, shares: values.map((_, i) => Number(i === first)) };
}

export function mean(values: number[]): { value: number; shares: number[] } {
  const value = values.reduce((sum, each) => sum + each, 0) / values.length;
  return { value, shares: values.map(() => 1 / values.length) };
}

export function weighted(values: number[], weights: number[]): { value: number; shares: number[] } {
  return { value: values.reduce((sum, each, i) => sum + each * weights[i]!, 0), shares: weights };
}
