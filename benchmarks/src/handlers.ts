import type { HookContext, HookEvents } from '@hookline/hook-api';

export type Handler = (ctx: Tally, event: HookEvents['onStepEnd']) => void;

/** What the handlers write to. */
export interface Tally extends HookContext {
  tally: {
    sum: number;
    count: number;
    highest: number;
    lowest: number;
    average: number;
    latest: number;
    parity: number;
    squares: number;
    hundreds: number;
    digest: number;
  };
}

/** A context that holds only what the handlers touch. */
export function createTally(): Tally {
  const tally = {
    sum: 0.5,
    count: 0,
    highest: 0.5,
    lowest: 0.5,
    average: 0.5,
    latest: 0,
    parity: 0,
    squares: 0.5,
    hundreds: 0,
    digest: 1,
  };
  return { tally } as Tally;
}

/**
 * Ten handlers that do next to nothing, so that what is measured is the calling. Ten different functions: V8 would
 * put one that is called ten times in the place of the calls. With names, because hookable gives one to those
 * without, and that makes them slower for everybody.
 */
export function createHandlers(): Handler[] {
  return Object.values<Handler>({
    sum: ({ tally }, { loss }) => {
      tally.sum += loss;
    },
    count: ({ tally }) => {
      tally.count += 1;
    },
    highest: ({ tally }, { loss }) => {
      if (loss > tally.highest) tally.highest = loss;
    },
    lowest: ({ tally }, { loss }) => {
      if (loss < tally.lowest) tally.lowest = loss;
    },
    average: ({ tally }, { loss }) => {
      tally.average = 0.9 * tally.average + 0.1 * loss;
    },
    latest: ({ tally }, { step }) => {
      tally.latest = step;
    },
    parity: ({ tally }, { step }) => {
      tally.parity ^= step & 1;
    },
    squares: ({ tally }, { loss }) => {
      tally.squares += loss * loss;
    },
    hundreds: ({ tally }, { step }) => {
      if (step % 100 === 0) tally.hundreds++;
    },
    digest: ({ tally }, { step }) => {
      tally.digest = (Math.imul(tally.digest, 31) + step) | 0;
    },
  });
}

/**
 * Functions as tsx and esbuild leave them when they keep names: each name is defined again, which takes a function out
 * of the kind that V8 knows best.
 */
export function withKeptNames(handlers: readonly Handler[]): Handler[] {
  return handlers.map((handler) =>
    Object.defineProperty(handler, 'name', { value: handler.name, configurable: true }),
  );
}
