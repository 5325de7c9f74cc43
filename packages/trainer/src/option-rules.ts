import type { OptionRule } from '@hookline/hook-api';
import { checkKeys, trainerError } from './errors.js';

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
    throw trainerError('BAD_OPTIONS', `${where}: ${name} is ${JSON.stringify(value)}, expected ${expected}.`);
  }
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
