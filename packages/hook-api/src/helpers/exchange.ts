import type { HookCost } from '../hook-info.js';
import { type SharedKey, type SharedMap, sharedKey } from '../shared.js';

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

/** The histograms of a run, numbered from 0. Loggers leave them in place and remember how far they have read. */
export interface HistogramList {
  /** The number that the next histogram gets. */
  readonly next: number;
  /** Oldest first; the last one has the number `next - 1`. */
  readonly items: readonly Histogram[];
}

export const histogramsKey: SharedKey<HistogramList> = sharedKey('hookline.histograms');

/** A run may have no logger that reads histograms: only this many are kept. */
const MOST_HISTOGRAMS = 1000;

/** Adds histograms for loggers to read, and drops the oldest beyond 1,000. */
export function leaveHistograms(shared: SharedMap, histograms: readonly Histogram[]): void {
  if (histograms.length === 0) return;
  const { next, items } = shared.get(histogramsKey) ?? { next: 0, items: [] };
  shared.set(histogramsKey, {
    next: next + histograms.length,
    items: [...items, ...histograms].slice(-MOST_HISTOGRAMS),
  });
}

/**
 * What a logger has not read yet. `from` is the `next` of its last call, 0 when a run begins; each logger keeps
 * its own, so that every logger sees every histogram once.
 */
export function histogramsSince(shared: SharedMap, from: number): HistogramList {
  const { next, items } = shared.get(histogramsKey) ?? { next: 0, items: [] };
  const unread = Math.max(0, next - from);
  return { next, items: unread === 0 ? [] : items.slice(-unread) };
}

/** What the trainer leaves of its hooks in every run, for hooks that show them or switch them. */
export interface RunHooks {
  /** In the order in which they run. */
  list(): readonly { readonly name: string; readonly enabled: boolean }[];
  costs(): readonly HookCost[];
  enable(name: string): void;
  disable(name: string): void;
}

export const runHooksKey: SharedKey<RunHooks> = sharedKey('hookline.run-hooks');

/** Where the time of the run has gone so far: what hook-profiler will write, for hooks that show it before that. */
export interface RunProfile {
  readonly verdict: string;
  readonly phases: readonly { readonly name: string; readonly seconds: number; readonly share: number }[];
}

/** Left by hook-profiler, whose own files are written when the run is over. */
export const profileKey: SharedKey<() => RunProfile> = sharedKey('hookline.profile');

/**
 * What is left to do when every hook is torn down, for a hook that reports about all of them. The trainer leaves the list
 * and awaits what hooks have added to it; it must not throw.
 */
export const lastWorkKey: SharedKey<(() => Promise<void>)[]> = sharedKey('hookline.last-work');

/** A warning or an error that the trainer or a hook has logged in this run. */
export interface RunWarning {
  /** The hook that logged it; absent when it was the trainer. */
  readonly hook?: string;
  readonly message: string;
}

/** The warnings of a run, the oldest first; the list grows, up to a limit. Loggers remember how far they have read. */
export const warningsKey: SharedKey<readonly RunWarning[]> = sharedKey('hookline.warnings');

/**
 * Marks a signal listener that only tidies up and passes the signal on. A listener without the mark handles the signal
 * itself. A symbol of the global registry: two copies of this package are normal under pnpm.
 */
export const TIDIES_UP: unique symbol = Symbol.for('hookline.tidies-up') as never;
