import { type Spread, spreadOf } from './statistics.js';

/** The ways of doing the same work, by name. */
export type Sides<Name extends string> = Readonly<Record<Name, () => unknown>>;

export interface Pace {
  /** Each gives one ratio. */
  rounds: number;
  /** Rounds that are thrown away: the JIT compiler is at work. */
  warmUp: number;
  /** Runs of each side in a round. The fastest counts: what others do on the machine only ever adds time. */
  repeats: number;
  /** In milliseconds; that of the wall when absent. */
  clock?: () => number;
}

/** The milliseconds of each round, by side. */
export type Times<Name extends string> = Record<Name, number[]>;

/**
 * Runs the sides in turn, round after round, so that whatever slows the machine down slows all of them. Who goes
 * first changes from run to run.
 */
export async function race<Name extends string>(
  sides: Sides<Name>,
  { rounds, warmUp, repeats, clock = () => performance.now() }: Pace,
): Promise<Times<Name>> {
  const names = Object.keys(sides) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Times<Name>;
  for (let round = -warmUp; round < rounds; round++) {
    const best = new Map<Name, number>();
    // What one round left behind is not collected at the cost of the next.
    globalThis.gc?.();
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const name of rotated(names, round * repeats + repeat)) {
        const milliseconds = await timed(sides[name], clock);
        best.set(name, Math.min(milliseconds, best.get(name) ?? Infinity));
      }
    }
    if (round >= 0) for (const name of names) times[name].push(best.get(name)!);
  }
  return times;
}

/** The times of one side over those of another, round by round. */
export function ratioOf<Name extends string>(times: Times<Name>, subject: Name, reference: Name): Spread {
  return spreadOf(times[subject].map((time, round) => time / times[reference][round]!));
}

async function timed(run: () => unknown, clock: () => number): Promise<number> {
  const start = clock();
  const outcome = run();
  // A microtask would count where there is nothing to wait for.
  if (outcome instanceof Promise) await outcome;
  return clock() - start;
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = ((by % items.length) + items.length) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
