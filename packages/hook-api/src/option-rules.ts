import { show } from './show.js';

/** Checks one option: undefined when it is fine, otherwise what was expected. */
export type OptionRule = (value: unknown) => string | undefined;

/** What a number must be: `min` and `max` are allowed themselves, `above` and `below` are not. */
export interface Bounds {
  min?: number;
  max?: number;
  above?: number;
  below?: number;
}

/** The rules that most options need. */
export const is = {
  string: ((value) => (typeof value === 'string' ? undefined : 'a string')) as OptionRule,
  boolean: ((value) => (typeof value === 'boolean' ? undefined : 'true or false')) as OptionRule,
  object: ((value) => (typeof value === 'object' && value !== null ? undefined : 'an object')) as OptionRule,
  function: ((value) => (typeof value === 'function' ? undefined : 'a function')) as OptionRule,
  number: (bounds: Bounds = {}): OptionRule => {
    return (value) =>
      typeof value === 'number' && isWithin(value, bounds) ? undefined : `a number${range(bounds)}`;
  },
  integer: (bounds: Bounds = {}): OptionRule => {
    return (value) =>
      Number.isInteger(value) && isWithin(value as number, bounds)
        ? undefined
        : `a whole number${range(bounds)}`;
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

function isWithin(value: number, { min = -Infinity, max = Infinity, above, below }: Bounds): boolean {
  return value >= min && value <= max && !(value <= above!) && !(value >= below!);
}

function range({ min, max, above, below }: Bounds): string {
  if (min! <= max!) return ` from ${min} to ${max}`;
  return Object.entries({ above, 'of at least': min, below, 'of at most': max })
    .flatMap(([word, bound]) => (Number.isFinite(bound) ? ` ${word} ${bound}` : []))
    .join(' and');
}
