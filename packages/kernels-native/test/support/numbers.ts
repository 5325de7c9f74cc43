/** Numbers from 0 to 1 that look random and are the same in every run. */
export function random(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function floats(count: number, seed = 1, low = -2, high = 2): Float32Array {
  const next = random(seed + count);
  return Float32Array.from({ length: count }, () => low + next() * (high - low));
}

/** Both signs of what has rules of its own, and numbers that are at the end of the range. */
export const SPECIAL: readonly number[] = [
  ...[0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ...[2 ** -149, -(2 ** -149), 2 ** -127, -(2 ** -127), 2 ** -126, -(2 ** -126)],
  ...[Math.fround(3.4028235e38), -Math.fround(3.4028235e38), 1, -1],
];

/** Numbers of which about one in `every` is special. */
export function specialFloats(count: number, seed = 1, every = 6): Float32Array {
  const next = random(seed * 31 + count);
  return floats(count, seed).map((each) =>
    next() * every < 1 ? SPECIAL[Math.floor(next() * SPECIAL.length)]! : each,
  );
}
