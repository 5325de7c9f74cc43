/** Learning rates to try, from the losses of a sweep; undefined where the loss never falls. */
export function suggestRates(
  lrs: readonly number[],
  losses: readonly number[],
): { valley: number | undefined; steepest: number | undefined } {
  const fall = largestFall(losses);
  if (!fall) return { valley: undefined, steepest: undefined };
  const { top, bottom } = fall;
  const drop = losses[top]! - losses[bottom]!;
  // The flat ends of the fall do not belong to the slope.
  const begins = lastIndex(top, bottom, (at) => losses[at]! > losses[top]! - 0.1 * drop);
  const ends = firstIndex(top, bottom, (at) => losses[at]! <= losses[bottom]! + 0.1 * drop);
  return { valley: Math.sqrt(lrs[begins]! * lrs[ends]!), steepest: lrs[steepestIn(losses, top, bottom)]! };
}

/** The highest point and the lowest one after it that are farthest apart. */
function largestFall(losses: readonly number[]): { top: number; bottom: number } | undefined {
  let best: { top: number; bottom: number } | undefined;
  let [top, drop] = [0, 0];
  for (const [at, loss] of losses.entries()) {
    if (loss > losses[top]!) top = at;
    if (losses[top]! - loss <= drop) continue;
    drop = losses[top]! - loss;
    best = { top, bottom: at };
  }
  return best;
}

/** The rates are evenly spaced in powers of ten, so that differences of losses are slopes. */
function steepestIn(losses: readonly number[], top: number, bottom: number): number {
  let steepest = top;
  let slope = Infinity;
  for (let at = top + 1; at <= bottom; at++) {
    const next = Math.min(at + 1, losses.length - 1);
    const here = (losses[next]! - losses[at - 1]!) / (next - at + 1);
    if (here < slope) [steepest, slope] = [at, here];
  }
  return steepest;
}

function firstIndex(from: number, to: number, holds: (at: number) => boolean): number {
  for (let at = from; at < to; at++) if (holds(at)) return at;
  return to;
}

function lastIndex(from: number, to: number, holds: (at: number) => boolean): number {
  for (let at = to; at > from; at--) if (holds(at)) return at;
  return from;
}
