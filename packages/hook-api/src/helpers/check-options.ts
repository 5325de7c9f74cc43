import { is, type OptionRule } from '../option-rules.js';
import { checkWith, type OptionRules } from '../options.js';

/**
 * Throws one error that lists every name that is not known and every value that makes no sense; `where` is what was
 * called, such as `fit()`.
 */
export function checkOptions(options: object, rules: OptionRules, where: string): void {
  checkWith('BAD_OPTIONS', where, options, rules);
}

/** `checkOptions` for names alone, where the values are checked elsewhere. */
export function checkKeys(options: object, known: readonly string[], where: string): void {
  checkOptions(options, Object.fromEntries(known.map((name) => [name, () => undefined])), where);
}

// Below infinity: an infinite rate or bound is a mistake wherever these are used.
export const notNegative: OptionRule = is.number({ min: 0, below: Infinity });
export const positive: OptionRule = is.number({ above: 0, below: Infinity });
/** For what decays: 1 would keep everything forever. */
export const belowOne: OptionRule = is.number({ min: 0, below: 1 });
