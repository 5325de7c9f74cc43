import { HooklineError } from '../errors.js';
import { is, type OptionRule } from '../option-rules.js';
import { checkWith, type OptionRules } from '../options.js';

/**
 * Throws one error that lists every name that is not known and every value that makes no sense; `where` is what was
 * called, such as `fit()`. A name that people know from another framework is reported with what to write here.
 */
export function checkOptions(
  options: object,
  rules: OptionRules,
  where: string,
  foreign: ForeignNames = {},
): void {
  const name = foreignName(options, Object.keys(rules), foreign);
  if (name) throw new HooklineError('BAD_OPTIONS', `${where} has no option "${name.given}". ${name.hint}`);
  checkWith('BAD_OPTIONS', where, options, rules);
}

/** The first option that another framework calls so, and what to write instead; in Python's spelling too. */
export function foreignName(
  options: unknown,
  known: readonly string[],
  foreign: ForeignNames,
): { given: string; hint: string } | undefined {
  for (const given of Object.keys(Object(options))) {
    const name = given.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (!known.includes(given) && Object.hasOwn(foreign, name)) return { given, hint: foreign[name]! };
  }
  return undefined;
}

/** What to write instead of names that other frameworks have, one sentence each. */
export type ForeignNames = Readonly<Record<string, string>>;

/** `checkOptions` for names alone, where the values are checked elsewhere. */
export function checkKeys(
  options: object,
  known: readonly string[],
  where: string,
  foreign?: ForeignNames,
): void {
  checkOptions(options, Object.fromEntries(known.map((name) => [name, () => undefined])), where, foreign);
}

// Below infinity: an infinite rate or bound is a mistake wherever these are used.
export const notNegative: OptionRule = is.number({ min: 0, below: Infinity });
export const positive: OptionRule = is.number({ above: 0, below: Infinity });
/** For what decays: 1 would keep everything forever. */
export const belowOne: OptionRule = is.number({ min: 0, below: 1 });
