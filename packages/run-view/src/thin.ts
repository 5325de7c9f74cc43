import type { Points } from './points.js';

/**
 * At most `count` points (at least 4) that draw the same curve: the first, the last, and of every stretch between them
 * the lowest and the highest, so that no spike is lost. A stretch that holds a value that is not a number keeps one.
 */
export function thin(series: { points(): Points }, count: number): Points {
  return thinned(series.points(), count);
}

export function thinned(points: Points, count: number): Points {
  const { length } = points.values;
  if (length <= Math.max(count, 4)) return points;
  // A stretch keeps up to three: lowest, highest, and a gap where the run had NaN.
  const stretches = Math.max(1, Math.floor((count - 2) / (hasGaps(points.values) ? 3 : 2)));
  const kept = new Kept(stretches * 3 + 2);
  kept.add(0);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const start = 1 + Math.floor((stretch * (length - 2)) / stretches);
    const end = 1 + Math.floor(((stretch + 1) * (length - 2)) / stretches);
    keepExtremes(kept, points.values, start, end);
  }
  kept.add(length - 1);
  return { steps: kept.of(points.steps), epochs: kept.of(points.epochs), values: kept.of(points.values) };
}

/** Positions to keep, in ascending order. A typed array: a million points are thinned without garbage. */
class Kept {
  readonly #positions: Uint32Array;
  #length = 0;

  constructor(most: number) {
    this.#positions = new Uint32Array(most);
  }

  add(position: number): void {
    this.#positions[this.#length++] = position;
  }

  of(column: Float64Array): Float64Array {
    const taken = new Float64Array(this.#length);
    for (let at = 0; at < taken.length; at++) taken[at] = column[this.#positions[at]!]!;
    return taken;
  }
}

/** The lowest, the highest and the first gap in `[start, end)`. */
function keepExtremes(kept: Kept, values: Float64Array, start: number, end: number): void {
  let [low, high, gap] = [-1, -1, -1];
  for (let at = start; at < end; at++) {
    const value = values[at]!;
    if (Number.isNaN(value)) {
      if (gap < 0) gap = at;
      continue;
    }
    if (low < 0 || value < values[low]!) low = at;
    if (high < 0 || value > values[high]!) high = at;
  }
  let last = -1;
  for (let turn = 0; turn < 3; turn++) {
    let next = -1;
    if (low > last) next = low;
    if (high > last && (next < 0 || high < next)) next = high;
    if (gap > last && (next < 0 || gap < next)) next = gap;
    if (next < 0) return;
    kept.add(next);
    last = next;
  }
}

function hasGaps(values: Float64Array): boolean {
  for (const value of values) if (Number.isNaN(value)) return true;
  return false;
}
