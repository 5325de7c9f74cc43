import type { HookLogger } from '@hookline/hook-api';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a process that ends by a signal reports: 128 and the signal's number. */
const EXIT_CODES: Record<string, number> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * The first signal lets the run finish its step and end cleanly, hooks and all; the second ends the process at
 * once, as if nobody had listened. Returns the remover.
 */
export function stopOnSignals(stop: (reason: string) => void, logger: HookLogger): () => void {
  let received = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (received) {
      remove();
      process.kill(process.pid, signal);
      return;
    }
    received = true;
    process.exitCode = EXIT_CODES[signal] ?? 1;
    logger.warn(`${signal}: finishing the step. A second one stops at once.`);
    stop(signal);
  };
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return remove;
}

/** The exit code of a stop reason: 0, unless it was a signal. */
export function exitCodeOf(stopReason: string | undefined): number {
  return EXIT_CODES[stopReason ?? ''] ?? 0;
}

/** For a program that looks at nothing: it would report success. An exit code that it has set stays. */
export function reportExitCode(code: number): void {
  if (code !== 0) process.exitCode ||= code;
}
