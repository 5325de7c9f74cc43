import type { HookLogger } from '@hookline/hook-api';
import { messageOf, type RunWarning } from '@hookline/hook-api/helpers';

/** A hook that complains at every step must not fill the memory. */
const MOST_WARNINGS = 500;

/** The logger, with a note of every warning and error, so that they stay with the run when the terminal is closed. */
export function notingLogger(logger: HookLogger, warnings: RunWarning[], hook?: string): HookLogger {
  const noting =
    (level: 'warn' | 'error'): HookLogger['warn'] =>
    (first: string | object, message?: string) => {
      if (warnings.length < MOST_WARNINGS)
        warnings.push({ ...(hook && { hook }), message: textOf(first, message) });
      if (typeof first === 'string') logger[level](first);
      else logger[level](first, message);
    };
  return {
    debug: logger.debug.bind(logger),
    info: logger.info.bind(logger),
    warn: noting('warn'),
    error: noting('error'),
    child: (bindings) =>
      notingLogger(
        logger.child(bindings),
        warnings,
        typeof bindings.hook === 'string' ? bindings.hook : hook,
      ),
  };
}

function textOf(first: string | object, message: string | undefined): string {
  if (typeof first === 'string') return first;
  const { err } = first as { err?: unknown };
  if (message === undefined) return messageOf(err ?? first);
  const cause = err === undefined ? '' : messageOf(err);
  return message.includes(cause) ? message : `${message} ${cause}`;
}
