import { HooklineError } from '../errors.js';
import { didYouMean } from '../nearest.js';
import type { OptionRule } from '../options.js';

/** Throws on a key that is not known, and on a value that makes no sense. */
export function checkOptions(
  options: object,
  rules: Readonly<Record<string, OptionRule>>,
  where: string,
): void {
  checkKeys(options, Object.keys(rules), where);
  for (const [name, value] of Object.entries(options)) {
    const expected = value === undefined ? undefined : rules[name]!(value);
    if (expected === undefined) continue;
    throw new HooklineError(
      'BAD_OPTIONS',
      `${where}: ${name} is ${JSON.stringify(value)}, expected ${expected}.`,
    );
  }
}

/** Throws on a key that is not known, naming the nearest one. */
export function checkKeys(options: object, known: readonly string[], where: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new HooklineError('BAD_OPTIONS', `${where} takes an object with options, got ${options}.`);
  }
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const lines = unknown.map((key) => `unknown option "${key}".${didYouMean(key, known)}`);
  throw new HooklineError('BAD_OPTIONS', `${where}: ${lines.join(' ')} Known options: ${known.join(', ')}.`);
}

export const notNegative: OptionRule = (value) =>
  isNumber(value) && value >= 0 ? undefined : 'a number of at least 0';

export const positive: OptionRule = (value) =>
  isNumber(value) && value > 0 ? undefined : 'a number above 0';

/** For what decays: 1 would keep everything forever. */
export const belowOne: OptionRule = (value) =>
  isNumber(value) && value >= 0 && value < 1 ? undefined : 'a number from 0 to below 1';

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
