import type { HookLogger, SharedMap } from '@hookline/hook-api';
import { type LoggerOptions, type LogStream, loggerOf } from '../logger.js';

/** Writes to the console of the browser. */
export function createLogger({ level, stream = CONSOLE }: LoggerOptions = {}): HookLogger {
  return loggerOf({ level, stream, inspect: inspected, isColoured: false });
}

/** The console keeps its own lines: nothing is drawn there that could be disturbed. */
export function terminalStream(_shared: () => SharedMap | undefined): LogStream {
  return CONSOLE;
}

const CONSOLE: LogStream = {
  write: (text) => {
    const line = text.trimEnd();
    if (line.startsWith('hookline error')) console.error(line);
    else if (line.startsWith('hookline warn')) console.warn(line);
    else console.info(line);
  },
};

function inspected(value: unknown): string {
  if (value instanceof Error)
    return value.stack?.includes(value.message) ? value.stack : `${value}\n${value.stack}`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
