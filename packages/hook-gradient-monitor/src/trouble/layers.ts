import type { Measurement } from '../measure/recorder.js';

/** The gradients of one layer's parameters, taken together. */
export interface LayerGradient {
  readonly layer: string;
  /** Of the selected parameters; undefined when none is. */
  readonly norm: number | undefined;
  /** Values that are NaN or infinite, of all parameters. */
  readonly nonFinite: number;
  readonly size: number;
}

/** In the order in which the parameters come. */
export function byLayer(gradients: readonly Measurement[], selected: ReadonlySet<string>): LayerGradient[] {
  const layers = new Map<string, { sumSquares: number | undefined; nonFinite: number; size: number }>();
  for (const { path, statistics, size } of gradients) {
    const layer = layerOf(path);
    const sums = layers.get(layer) ?? { sumSquares: undefined, nonFinite: 0, size: 0 };
    if (selected.has(path)) sums.sumSquares = (sums.sumSquares ?? 0) + statistics.sumSquares;
    sums.nonFinite += size - statistics.finite;
    sums.size += size;
    layers.set(layer, sums);
  }
  return [...layers].map(([layer, { sumSquares, nonFinite, size }]) => ({
    layer,
    norm: sumSquares === undefined ? undefined : Math.sqrt(sumSquares),
    nonFinite,
    size,
  }));
}

/** `encoder/dense_1/kernel` belongs to `encoder/dense_1`; a parameter without a layer is its own layer. */
function layerOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? path : path.slice(0, end);
}
