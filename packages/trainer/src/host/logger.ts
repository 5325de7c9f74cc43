import { didYouMean, type HookLogger } from '@hookline/hook-api';
import { type OutputStream, writeOutput } from '@hookline/hook-api/helpers';
import { environment } from '@hookline/host';
import { trainerError } from '../errors.js';
import { withoutControls } from './printable.js';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LEVELS)[number];

export interface LoggerOptions {
  /** `info` by default, or what the environment variable HOOKLINE_LOG_LEVEL says. */
  level?: LogLevel | undefined;
  /** Standard error by default. */
  stream?: LogStream | undefined;
}

export interface LogStream extends OutputStream {
  isTTY?: boolean | undefined;
}

/** What a logger needs of its host. */
export interface LoggerSettings {
  readonly level: LogLevel | undefined;
  readonly stream: LogStream;
  /** A value as text, an error with its stack. */
  readonly inspect: (value: unknown) => string;
  readonly isColoured: boolean;
}

/** Writes one readable line per message; is called like pino, which can take its place. */
export function loggerOf({ level, stream, inspect, isColoured }: LoggerSettings): HookLogger {
  const fromEnvironment = environment('HOOKLINE_LOG_LEVEL') || 'info';
  if (level !== undefined && !isLevel(level)) {
    throw trainerError('LOG_LEVEL_UNKNOWN', unknownLevel('createLogger({ level })', level));
  }
  const chosen = level ?? (isLevel(fromEnvironment) ? fromEnvironment : 'info');
  const logger = bind({ stream, level: chosen, inspect, paint: painter(isColoured) }, {});
  // A typo in the environment should not stop training.
  if (level === undefined && !isLevel(fromEnvironment)) {
    logger.warn(unknownLevel('HOOKLINE_LOG_LEVEL', fromEnvironment));
  }
  return logger;
}

interface Output {
  readonly stream: LogStream;
  readonly level: LogLevel;
  readonly inspect: LoggerSettings['inspect'];
  readonly paint: (style: Style, text: string) => string;
}

type Fields = Record<string, unknown>;

function bind(output: Output, bindings: Fields): HookLogger {
  const at = (level: Exclude<LogLevel, 'silent'>): HookLogger['info'] => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(output.level)) return () => {};
    return (first: string | object, message?: string) => {
      writeOutput(output.stream, format(output, level, { ...bindings, ...fieldsOf(first, message) }));
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => bind(output, { ...bindings, ...more }),
  };
}

/** As pino has it: a message, fields and a message, or an error in the place of the fields. */
function fieldsOf(first: string | object, message: string | undefined): Fields {
  if (typeof first === 'string') return { msg: first };
  const fields: Fields = isError(first) ? { err: first } : { ...first };
  const text = message ?? fields.msg ?? (isError(fields.err) ? fields.err.message : '');
  return { ...fields, msg: text };
}

/** `hookline warn [early-stopping] message key=value`, then the stack of an error, indented. */
function format({ paint, inspect }: Output, level: LogLevel, { msg, hook, err, ...fields }: Fields): string {
  const head = [paint('dim', 'hookline')];
  if (level !== 'info') head.push(paint(level as Style, level));
  if (hook !== undefined) head.push(paint('name', `[${withoutControls(String(hook))}]`));
  if (msg !== '') head.push(withoutControls(String(msg)));
  if (err !== undefined && !isError(err)) fields.err = err;
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) head.push(paint('dim', `${key}=${valueText(value, inspect)}`));
  }
  const lines = [head.join(' ')];
  if (isError(err)) lines.push(withoutControls(inspect(err)));
  // Lines after the first are indented: where a message begins is always seen.
  return `${lines.join('\n').replaceAll('\n', '\n  ')}\n`;
}

function valueText(value: unknown, inspect: LoggerSettings['inspect']): string {
  if (typeof value === 'number')
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  if (isError(value)) return JSON.stringify(value.message);
  if (typeof value === 'string')
    return /^[^\s"=]+$/.test(value) ? withoutControls(value) : JSON.stringify(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  if (isList) return JSON.stringify(value.join(', '));
  return withoutControls(inspect(value));
}

function isError(value: unknown): value is Error {
  const { message, stack } = Object(value) as Partial<Error>;
  return typeof message === 'string' && typeof stack === 'string';
}

function isLevel(level: string): level is LogLevel {
  return (LEVELS as readonly string[]).includes(level);
}

function unknownLevel(where: string, level: string): string {
  return `${where} is "${level}", which is not a log level.${didYouMean(level, LEVELS)} Levels: ${LEVELS.join(', ')}.`;
}

const STYLES = { dim: 2, name: 36, debug: 2, warn: 33, error: 31 } as const;

type Style = keyof typeof STYLES;

function painter(isColoured: boolean): Output['paint'] {
  return isColoured ? (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m` : (_, text) => text;
}
