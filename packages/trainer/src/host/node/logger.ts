import { inspect } from 'node:util';
import type { HookLogger } from '@hookline/hook-api';
import { type LoggerOptions, type LogStream, loggerOf } from '../logger.js';

/** Writes one readable line per message; is called like pino, which can take its place. */
export function createLogger({ level, stream = process.stderr }: LoggerOptions = {}): HookLogger {
  return loggerOf({
    level,
    stream,
    inspect: (value) =>
      value instanceof Error
        ? inspect(value)
        : inspect(value, { depth: 3, breakLength: Number.POSITIVE_INFINITY, compact: true }),
    isColoured: isColoured(stream),
  });
}

/** Colours only on a terminal that wants them (https://no-color.org). */
function isColoured(stream: LogStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}
