import { didYouMean, HookFatalError } from '@hookline/hook-api';

/** What is wrong, and which metrics there are; what happens next is for the caller to add. */
export function missingMetric(hook: string, monitor: string, names: readonly string[]): string {
  return (
    `${hook} monitors "${monitor}", but there is no such metric.${didYouMean(monitor, names)} ` +
    `Metrics so far: ${names.join(', ') || 'none'}.`
  );
}

/** Of `strict`: a mistyped metric ends the run in its first epoch. */
export function metricRequired(message: string): HookFatalError {
  return new HookFatalError(`${message} Set "monitor" to one of them, or strict: false to wait for it.`);
}
