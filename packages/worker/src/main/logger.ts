import type { HookLogger } from '@hookline/hook-api';

/** One readable line per message, as the trainer prints them; debug messages are left out. */
export function lineLogger(write: (line: string) => void, hook?: string): HookLogger {
  const at =
    (level: string): HookLogger['info'] =>
    (first: string | object, message?: string) => {
      const text = typeof first === 'string' ? first : (message ?? (first as { msg?: string }).msg ?? '');
      write(`hookline ${level}${hook === undefined ? '' : `[${hook}] `}${text}\n`);
    };
  return {
    debug: () => {},
    info: at(''),
    warn: at('warn '),
    error: at('error '),
    child: (bindings) => lineLogger(write, bindings.hook === undefined ? hook : String(bindings.hook)),
  };
}
