/** Puts numbers onto an axis. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
  readonly ticks: readonly number[];
  /** From 0 to 1. */
  at(value: number): number;
}

/** A scale that begins and ends a little outside of the values; logarithmic where they span more than two orders. */
export function scaleOf(lowest: number, highest: number, mayBeLog: boolean): Scale {
  if (mayBeLog && lowest > 0 && highest / lowest > 100) return logScale(lowest, highest);
  const margin = (highest - lowest || Math.abs(highest) || 1) * 0.05;
  // A loss or a rate does not look as if it went below 0.
  const low = lowest >= 0 && lowest - margin < 0 ? 0 : lowest - margin;
  const high = highest + margin;
  return {
    low,
    high,
    isLog: false,
    ticks: ticksOf(low, high, 5),
    at: (value) => (value - low) / (high - low),
  };
}

/** The steps of a run, from its first to its last. */
export function stepScale(first: number, last: number): Scale {
  const high = last > first ? last : first + 1;
  return {
    low: first,
    high,
    isLog: false,
    ticks: ticksOf(first, high, 6).filter(Number.isInteger),
    at: (value) => (value - first) / (high - first),
  };
}

function logScale(lowest: number, highest: number): Scale {
  const [low, high] = [Math.log10(lowest) - 0.1, Math.log10(highest) + 0.1];
  const powers = ticksOf(low, high, 5).filter(Number.isInteger);
  return {
    low: 10 ** low,
    high: 10 ** high,
    isLog: true,
    ticks: powers.map((power) => 10 ** power),
    at: (value) => (Math.log10(value) - low) / (high - low),
  };
}

/** Round numbers between two others, about so many of them. */
function ticksOf(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.8)!;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9 && ticks.length < 20; at++) {
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}
