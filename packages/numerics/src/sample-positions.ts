/** Percentiles and histograms come from at most this many values of a tensor. */
export const SAMPLE_SIZE = 4096;

/**
 * Which values of a large tensor to look at: one in each of 4,096 equal stretches, at a place that a hash picks. A fixed
 * stride would always hit the same few columns of a matrix. The places are the same in every step and every process.
 *
 * Returns undefined for tensors that are small enough to look at all values.
 */
export function samplePositions(): (size: number) => Int32Array | undefined {
  const known = new Map<number, Int32Array>();
  return (size) => {
    if (size <= SAMPLE_SIZE) return undefined;
    let positions = known.get(size);
    if (!positions) {
      const stretch = size / SAMPLE_SIZE;
      positions = Int32Array.from({ length: SAMPLE_SIZE }, (_, i) => Math.floor((i + hash(i)) * stretch));
      known.set(size, positions);
    }
    return positions;
  };
}

/** From 0 up to, but not including, 1. */
function hash(number: number): number {
  let h = Math.imul(number + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
