import { type Cost, type Splitter, shares } from './split.js';
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
}

export function splitAlong(name: ExportName, { count, grain = 1, steps, cost }: AlongRule): Splitter {
  return {
    cost,
    split: (args, threads) => {
      const moving = steps(args);
      const calls = shares(args[count]!, threads, grain).map((range) => {
        const call = args.slice();
        call[count] = range.count;
        // An address of 0 means that there is none.
        for (const [argument, bytes] of moving) if (call[argument]) call[argument]! += range.first * bytes;
        return call;
      });
      return { name, calls };
    },
  };
}
