import { type SharedKey, sharedKey } from '../shared.js';

/** Left by a hook that keeps lines at the bottom of the terminal, such as a progress bar, for hooks that print. */
export interface LiveTerminal {
  /** Removes the live lines, lets `write` print, and draws them again below. */
  above(write: () => void): void;
}

export const terminalKey: SharedKey<LiveTerminal> = sharedKey('hookline.terminal');

/** Left by a hook that prints the lines of an epoch, for others that would print them too. */
export interface ConsoleAnnouncement {
  /** Renewed every epoch, so that nothing remains of a hook that was switched off. */
  readonly epoch: number;
}

export const consoleKey: SharedKey<ConsoleAnnouncement> = sharedKey('hookline.console');

/** A histogram that a hook leaves for loggers; everything in it is about the same values. */
export interface Histogram {
  /** As metrics are named: `grad/histogram/dense_1/kernel`. */
  readonly name: string;
  /** Optimizer steps completed, as in `onLog`. */
  readonly step: number;
  readonly min: number;
  readonly max: number;
  /** How many values there are: the sum of `counts`. */
  readonly num: number;
  readonly sum: number;
  readonly sumSquares: number;
  /** From `min` to `max`, one more than there are `counts`. */
  readonly edges: readonly number[];
  /** A value on an edge counts to the right of it; `max` counts to the last. */
  readonly counts: readonly number[];
}

/** A list, oldest first. Whoever takes histograms empties it. */
export const histogramsKey: SharedKey<Histogram[]> = sharedKey('hookline.histograms');

/**
 * Marks a signal listener that only tidies up and passes the signal on. A listener without the mark handles the signal
 * itself. A symbol of the global registry: two copies of this package are normal under pnpm.
 */
export const TIDIES_UP: unique symbol = Symbol.for('hookline.tidies-up') as never;
