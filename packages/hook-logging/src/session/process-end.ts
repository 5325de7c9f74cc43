import { TIDIES_UP } from '@hookline/hook-api/helpers';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal that ends the process waits for so long at most. */
const PATIENCE_MS = 3000;

/**
 * Calls `save` when a signal comes, with the signal when nobody else handles it: then it ends the process as it
 * would have, once everything is saved; a second signal waits for nothing. Returns what stops it.
 */
export function onSignal(save: (ending: NodeJS.Signals | undefined) => void | Promise<void>): () => void {
  let isSaving = false;
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
  const listener = Object.assign(
    (signal: NodeJS.Signals): void => {
      const isHandled = process.listeners(signal).some((each) => !(TIDIES_UP in each));
      const finish = () => {
        if (isHandled) return;
        stop();
        // The last to be done lets the signal have its way.
        if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
      };
      const saved = isSaving ? Promise.resolve() : settled(() => save(isHandled ? undefined : signal));
      isSaving = !isHandled;
      void saved.then(finish);
    },
    { [TIDIES_UP]: true },
  );
  for (const signal of SIGNALS) process.on(signal, listener);
  return stop;
}

/** Whether a run was stopped by a signal, which the trainer gives as the reason. */
export function isSignal(reason: string | undefined): boolean {
  return SIGNALS.some((signal) => signal === reason);
}

/** Settles with the work, or when it takes too long; never rejects. */
async function settled(work: () => void | Promise<void>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  const done = (async () => work())().catch(() => {});
  await Promise.race([done, late]);
}
