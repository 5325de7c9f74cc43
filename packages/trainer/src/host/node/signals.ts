import type { HookLogger } from '@hookline/hook-api';
import { EXIT_CODES } from '../exit-code.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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

/** For a program that looks at nothing: it would report success. An exit code that it has set stays. */
export function reportExitCode(code: number): void {
  if (code !== 0) process.exitCode ||= code;
}
