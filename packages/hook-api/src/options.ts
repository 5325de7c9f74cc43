import { HooklineError } from './errors.js';
import type { StandardSchema } from './hook.js';
import { didYouMean } from './nearest.js';
import type { OptionRule } from './option-rules.js';
import { show } from './show.js';

export interface OptionsSchema<Options extends object = object> extends StandardSchema {
  readonly '~standard': StandardSchema['~standard'] & {
    /** For the compiler only, as in Standard Schema: the options that pass. */
    readonly types?: { readonly input: Options; readonly output: Options } | undefined;
  };
  /** The names of all options, in the order of the rules. */
  readonly names: readonly string[];
  /** Throws one error that lists every problem. */
  check(options: object | undefined): void;
}

export type OptionRules<Options extends object = Record<string, unknown>> = {
  readonly [Name in keyof Required<Options>]: OptionRule;
};

/**
 * Describes the options of a hook: a name that is not in the rules is reported with the nearest one.
 *
 * @example defineOptions<EarlyStoppingOptions>('early-stopping', { patience: is.integer({ min: 1 }) })
 */
export function defineOptions<Options extends object>(
  hook: string,
  rules: OptionRules<Options>,
): OptionsSchema<Options> {
  return {
    names: Object.keys(rules),
    '~standard': {
      version: 1,
      vendor: 'hookline',
      validate: (value = {}) => {
        const issues = problemsOf(value, rules).map((message) => ({ message }));
        return issues.length > 0 ? { issues } : { value };
      },
    },
    check: (options = {}) => checkWith('HOOK_OPTIONS', `Hook "${hook}"`, options, rules),
  };
}

/** Throws one error, with `who` as its subject, that lists every problem of the options. */
export function checkWith(code: string, who: string, options: unknown, rules: OptionRules): void {
  const problems = problemsOf(options, rules);
  if (problems.length === 0) return;
  throw new HooklineError(
    code,
    `${who} was given wrong options:\n  - ${problems.join('\n  - ')}\nKnown options: ${Object.keys(rules).join(', ') || 'none'}.`,
  );
}

function problemsOf(options: unknown, rules: OptionRules): string[] {
  if (typeof options !== 'object' || options === null) return [`expected an object, got ${show(options)}`];
  return Object.entries(options).flatMap(([name, value]) => {
    if (!Object.hasOwn(rules, name))
      return [`unknown option "${name}".${didYouMean(name, Object.keys(rules))}`];
    const expected = value === undefined ? undefined : rules[name]!(value);
    return expected === undefined ? [] : [`"${name}" must be ${expected}, got ${show(value)}`];
  });
}
