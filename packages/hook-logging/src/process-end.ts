const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal that ends the process waits for so long at most. */
const PATIENCE_MS = 3000;

// Of the global registry, and known to the progress bar too: a listener with this mark only tidies up, and hands the
// signal on. Who listens without it has taken the signal into its own hands.
const TIDIES_UP = Symbol.for('hookline.tidies-up');

/**
 * Calls `save` when a signal comes. Where nobody else handles the signal, it then ends the process as it would have,
 * once everything is saved; a second signal waits for nothing. Returns what stops it.
 */
export function onSignal(save: () => void | Promise<void>): () => void {
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
      const saved = isSaving ? Promise.resolve() : settled(save);
      isSaving = !isHandled;
      void saved.then(finish);
    },
    { [TIDIES_UP]: true },
  );
  for (const signal of SIGNALS) process.on(signal, listener);
  return stop;
}

/** Settles with the work, or when it takes too long; never rejects. */
async function settled(work: () => void | Promise<void>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  const done = (async () => work())().catch(() => {});
  await Promise.race([done, late]);
}
