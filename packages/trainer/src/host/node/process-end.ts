import type { HookLogger } from '@hookline/hook-api';
import type { ProcessEnd, Whereabouts } from '../contract.js';

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
  // Before what leaves the other ranks: they are told how this one ends.
  process.prependListener('exit', onExit);
  return () => {
    process.off('uncaughtExceptionMonitor', onError);
    process.off('exit', onExit);
  };
}

/**
 * Until the returned function is called: when the process ends because nothing is left for it to do, says what is not
 * done, and why. It waits for a promise that nobody will settle, which is not a success; its exit code would say so.
 */
export function onIdleEnd(what: string, logger: HookLogger, find: () => Whereabouts): () => void {
  const onBeforeExit = (): void => {
    process.exitCode ||= 1;
    const { step, loading } = find();
    let place = 'preparing the model, the backend or the strategy';
    if (step !== undefined) place = `after step ${step}, perhaps that of the next batch of its data`;
    else if (loading.length > 0) place = `loading the code of hook "${loading.join('", "')}"`;
    logger.error(
      `The process ends, though the ${what} does not: it waits for a promise that never settles, ${place}. ` +
        'Nothing else is left that could keep the process going.',
    );
  };
  process.once('beforeExit', onBeforeExit);
  return () => process.off('beforeExit', onBeforeExit);
}
