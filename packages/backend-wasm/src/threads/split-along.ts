import { type Cost, ranges, type Splitter, shares } from './split.js';
import type { ExportName } from './team.js';

/** A function that treats a number of things alike, which lie one after the other in memory. */
export interface AlongRule {
  /** Which argument is their number. */
  readonly count: number;
  /** Which arguments are addresses that advance from thing to thing, and by how many bytes. */
  steps(args: readonly number[]): readonly (readonly [argument: number, bytes: number])[];
  readonly cost: Cost;
  /** Parts are a multiple of this many things; 1 when absent. */
  readonly grain?: number;
  /**
   * Which arguments are addresses of room to compute in, and how many bytes a part needs there; the caller has that for
   * each thread. With it there is one part for each thread.
   */
  rooms?(args: readonly number[]): readonly (readonly [argument: number, bytes: number])[];
}

export function splitAlong(name: ExportName, rule: AlongRule): Splitter {
  const { count, grain = 1, steps, rooms, cost } = rule;
  return {
    cost,
    split: (args, threads) => {
      const moving = steps(args);
      const own = rooms?.(args) ?? [];
      const share = rooms ? ranges : shares;
      const calls = share(args[count]!, threads, grain).map((range, part) => {
        const call = args.slice();
        call[count] = range.count;
        for (const [argument, bytes] of own) call[argument]! += part * bytes;
        // An address of 0 means that there is none.
        for (const [argument, bytes] of moving) if (call[argument]) call[argument]! += range.first * bytes;
        return call;
      });
      return { name, calls };
    },
  };
}
