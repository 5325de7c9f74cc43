import type { HookLogger } from '@hookline/hook-api';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

export interface FakeLogger extends HookLogger {
  /** Everything that was logged, also by children. */
  lines: LogLine[];
}

/** Keeps what is logged, so that nothing is printed and everything can be checked. */
export function fakeLogger(lines: LogLine[] = [], bindings: object = {}): FakeLogger {
  const at =
    (level: LogLine['level']): HookLogger['info'] =>
    (first: string | object, message?: string) => {
      const [fields, text] = typeof first === 'string' ? [{}, first] : [first, message ?? ''];
      lines.push({ level, message: text, fields: { ...bindings, ...fields } });
    };
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => fakeLogger(lines, { ...bindings, ...more }),
  };
}
