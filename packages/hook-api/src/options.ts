import { HooklineError } from './errors.js';
import type { StandardSchema } from './hook.js';
import { didYouMean } from './nearest.js';
import { show } from './show.js';

/** Checks one option: undefined when it is fine, otherwise what was expected. */
export type OptionRule = (value: unknown) => string | undefined;

export interface OptionsSchema<Options extends object = object> extends StandardSchema {
  readonly '~standard': StandardSchema['~standard'] & {
    /** For the compiler only, as in Standard Schema: the options that pass. */
    readonly types?: { readonly input: Options; readonly output: Options } | undefined;
  };
  /** Of every option, in the order of the rules. */
  readonly names: readonly string[];
  /** Throws one error that lists every problem. */
  check(options: object | undefined): void;
}

/**
 * Describes the options of a hook: a name that is not in the rules is reported with the nearest one.
 *
 * @example defineOptions<EarlyStoppingOptions>('early-stopping', { patience: is.integer({ min: 1 }) })
 */
export function defineOptions<Options extends object>(
  hook: string,
  rules: { readonly [Name in keyof Required<Options>]: OptionRule },
): OptionsSchema<Options> {
  const names = Object.keys(rules);
  const problemsOf = (options: unknown): string[] => {
    if (options === undefined) return [];
    if (typeof options !== 'object' || options === null) return [`expected an object, got ${show(options)}`];
    return Object.entries(options).flatMap(([name, value]) => {
      if (!names.includes(name)) return [`unknown option "${name}".${didYouMean(name, names)}`];
      const expected = value === undefined ? undefined : rules[name as keyof Options](value);
      return expected === undefined ? [] : [`"${name}" must be ${expected}, got ${show(value)}`];
    });
  };
  return {
    names,
    '~standard': {
      version: 1,
      vendor: 'hookline',
      validate: (value) => {
        const problems = problemsOf(value);
        return problems.length > 0 ? { issues: problems.map((message) => ({ message })) } : { value };
      },
    },
    check: (options) => {
      const problems = problemsOf(options);
      if (problems.length === 0) return;
      throw new HooklineError(
        'HOOK_OPTIONS',
        `Hook "${hook}" was given wrong options:\n  - ${problems.join('\n  - ')}\nKnown options: ${names.join(', ') || 'none'}.`,
      );
    },
  };
}

/** The rules that most options need. */
export const is = {
  string: ((value) => (typeof value === 'string' ? undefined : 'a string')) as OptionRule,
  boolean: ((value) => (typeof value === 'boolean' ? undefined : 'true or false')) as OptionRule,
  object: ((value) => (typeof value === 'object' && value !== null ? undefined : 'an object')) as OptionRule,
  function: ((value) => (typeof value === 'function' ? undefined : 'a function')) as OptionRule,
  number: ({ min = -Infinity, max = Infinity }: { min?: number; max?: number } = {}): OptionRule => {
    return (value) =>
      typeof value === 'number' && value >= min && value <= max ? undefined : `a number${range(min, max)}`;
  },
  integer: ({ min = -Infinity, max = Infinity }: { min?: number; max?: number } = {}): OptionRule => {
    return (value) =>
      Number.isInteger(value) && (value as number) >= min && (value as number) <= max
        ? undefined
        : `a whole number${range(min, max)}`;
  },
  oneOf: (...values: readonly (string | number | boolean)[]): OptionRule => {
    return (value) => (values.some((each) => each === value) ? undefined : values.map(show).join(' or '));
  },
  /** One of several rules. */
  either: (...rules: readonly OptionRule[]): OptionRule => {
    return (value) => {
      const expected = rules.map((rule) => rule(value));
      return expected.includes(undefined) ? undefined : expected.join(' or ');
    };
  },
} as const;

function range(min: number, max: number): string {
  if (min > -Infinity && max < Infinity) return ` from ${min} to ${max}`;
  if (min > -Infinity) return ` of at least ${min}`;
  return max < Infinity ? ` of at most ${max}` : '';
}
