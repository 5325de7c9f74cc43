import type { ProcessEnd } from '../contract.js';

/**
 * Calls `onEnd` when the process ends before the returned function is called: by an error that nobody caught, or by
 * `process.exit`. Nothing can be awaited then. Errors are only looked at, not handled.
 */
export function onProcessEnd(onEnd: (end: ProcessEnd) => void): () => void {
  let error: unknown;
  const onError = (thrown: unknown): void => {
    error = thrown;
  };
  const onExit = (code: number): void => onEnd({ code, error });
  process.on('uncaughtExceptionMonitor', onError);
  process.on('exit', onExit);
  return () => {
    process.off('uncaughtExceptionMonitor', onError);
    process.off('exit', onExit);
  };
}
