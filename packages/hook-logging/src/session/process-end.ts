import { TIDIES_UP } from '@hookline/hook-api/helpers';
import { processEvents } from '@hookline/host';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Signal = (typeof SIGNALS)[number];

/** The longest that a signal waits before it ends the process. */
const PATIENCE_MS = 3000;

/**
 * Calls `save` when a signal comes. Where nobody else handles the signal, `save` gets it, and the signal ends the
 * process once everything is saved; a second signal ends it at once. Returns a function that stops listening.
 */
export function onSignal(save: (ending: Signal | undefined) => void | Promise<void>): () => void {
  let isSaving = false;
  const stop = () => {
    for (const signal of SIGNALS) processEvents.off(signal, listener);
  };
  const listener = Object.assign(
    (signal: Signal): void => {
      const isHandled = processEvents.listeners(signal).some((each) => !(TIDIES_UP in each));
      const finish = () => {
        if (isHandled) return;
        stop();
        // The last listener to finish sends the signal again, which now ends the process.
        if (processEvents.listeners(signal).length === 0) processEvents.raise(signal);
      };
      const saved = isSaving ? Promise.resolve() : settled(() => save(isHandled ? undefined : signal));
      isSaving = !isHandled;
      void saved.then(finish);
    },
    { [TIDIES_UP]: true },
  );
  for (const signal of SIGNALS) processEvents.on(signal, listener);
  return stop;
}

/** Whether a signal stopped the run: the trainer then gives its name as the reason. */
export function isSignal(reason: string | undefined): boolean {
  return SIGNALS.some((signal) => signal === reason);
}

/** Settles with the work, or when it takes too long; never rejects. */
async function settled(work: () => void | Promise<void>): Promise<void> {
  const late = new Promise<void>((resolve) => {
    // The process does not wait for it; timers of a browser are numbers.
    const timer: { unref?(): void } = Object(setTimeout(resolve, PATIENCE_MS));
    timer.unref?.();
  });
  const done = (async () => work())().catch(() => {});
  await Promise.race([done, late]);
}
