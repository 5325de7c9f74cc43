const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs with a signal that is given when the process is to end: by Ctrl-C, a scheduler, a closed terminal; 130 then. */
export async function untilSignal(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const controller = new AbortController();
  const end = () => controller.abort();
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    const code = await work(controller.signal);
    return controller.signal.aborted ? 130 : code;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
