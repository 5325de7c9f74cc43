import type { HookLogger } from '@hookline/hook-api';
import { collectingLogger, type LogLine } from '@hookline/test-support/collecting-logger';

export interface WatchedLogger {
  logger: HookLogger;
  /** Everything. */
  logged: LogLine[];
  /** The messages of warnings and errors. */
  complaints: string[];
}

/** A logger that prints nothing; both lists grow while the run logs. */
export function watchedLogger(): WatchedLogger {
  const { lines, ...logger } = collectingLogger();
  const complaints: string[] = [];
  const watched = (inner: HookLogger): HookLogger => {
    const complain =
      (level: 'warn' | 'error'): HookLogger['warn'] =>
      (first: object | string, message?: string) => {
        complaints.push(typeof first === 'string' ? first : (message ?? ''));
        if (typeof first === 'string') inner[level](first);
        else inner[level](first, message);
      };
    return {
      ...inner,
      warn: complain('warn'),
      error: complain('error'),
      child: (bindings) => watched(inner.child(bindings)),
    };
  };
  return { logger: watched(logger), logged: lines, complaints };
}
