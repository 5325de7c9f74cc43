import type { Spread } from './statistics.js';

/** One line of the table. */
export interface Row {
  /** What is measured, and against what. */
  what: string;
  /** Absent where something is counted instead. */
  ratio?: Spread;
  count?: number;
  /** The most that design allows; absent where the row is there for comparison only. */
  budget?: number;
  /** The absolute numbers behind it. */
  note: string;
}

export interface Settings {
  /** Few rounds: shows that everything runs, and proves nothing. */
  quick: boolean;
}

export type Benchmark = (settings: Settings) => Promise<Row[]>;

export function isWithinBudget({ ratio, count, budget }: Row): boolean | undefined {
  return budget === undefined ? undefined : (ratio?.median ?? count!) <= budget;
}

/** Enough rounds for the interval of a median. */
export function roundsFor({ quick }: Settings): number {
  return quick ? 5 : 31;
}
