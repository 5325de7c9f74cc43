/** How long the loop may hold the event loop: signals, timers, workers and webhooks must live. */
const MAX_HOLD_MS = 50;

/** Lets the event loop run when it is time; undefined when it is not. */
export type Breathe = () => Promise<void> | undefined;

/** Returns a function to call between batches: it lets the event loop run when it is time. */
export function breather(): Breathe {
  let last = performance.now();
  return () => {
    if (performance.now() - last < MAX_HOLD_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        last = performance.now();
        resolve();
      });
    });
  };
}
