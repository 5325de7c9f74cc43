import { afterEvents, LONGEST_HOLD_MS } from '#host';

/** Lets the event loop run when it is time; undefined when it is not. */
export type Breathe = () => Promise<void> | undefined;

/** Returns a function to call between batches: it lets the event loop run when it is time. */
export function breather(): Breathe {
  let last = performance.now();
  return () => {
    if (performance.now() - last < LONGEST_HOLD_MS) return undefined;
    return new Promise((resolve) => {
      afterEvents(() => {
        last = performance.now();
        resolve();
      });
    });
  };
}
