import { decodeJson } from '@hookline/hook-api/helpers';

/** Says what is wrong with a value that was read, and where; undefined when nothing is. */
export type JsonRule = (value: unknown, path: string) => string | undefined;

export const anything: JsonRule = () => undefined;
export const text: JsonRule = expecting('text', (value) => typeof value === 'string');
export const flag: JsonRule = expecting('true or false', (value) => typeof value === 'boolean');
/** Any number, also NaN and the infinities. */
export const number: JsonRule = expecting('a number', (value) => typeof value === 'number');
export const finite: JsonRule = expecting('a finite number', Number.isFinite);
export const integer: JsonRule = expecting('a whole number', Number.isSafeInteger);
export const count: JsonRule = expecting(
  'a whole number of at least 0',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const nonNegative: JsonRule = expecting(
  'a number of at least 0',
  (value) => Number.isFinite(value) && (value as number) >= 0,
);

export function oneOf(...choices: readonly string[]): JsonRule {
  return expecting(`one of ${choices.join(', ')}`, (value) => choices.includes(value as string));
}

export function optional(rule: JsonRule): JsonRule {
  return (value, path) => (value === undefined ? undefined : rule(value, path));
}

export function orNull(rule: JsonRule): JsonRule {
  return (value, path) => (value === null ? undefined : rule(value, path));
}

export function listOf(rule: JsonRule, length?: number): JsonRule {
  const expected = length === undefined ? 'a list' : `a list of ${length}`;
  const isList = expecting(
    expected,
    (value) => Array.isArray(value) && value.length === (length ?? value.length),
  );
  return (value, path) =>
    isList(value, path) ??
    firstOf((value as unknown[]).map((each, index) => rule(each, `${path}[${index}]`)));
}

export function pairOf(first: JsonRule, second: JsonRule): JsonRule {
  const isPair = listOf(anything, 2);
  return (value, path) => {
    const problem = isPair(value, path);
    if (problem !== undefined) return problem;
    const [left, right] = value as [unknown, unknown];
    return first(left, `${path}[0]`) ?? second(right, `${path}[1]`);
  };
}

export function either(one: JsonRule, other: JsonRule): JsonRule {
  return (value, path) => one(value, path) && other(value, path);
}

/** An object whose values all follow one rule. */
export function recordOf(rule: JsonRule): JsonRule {
  return (value, path) =>
    isObject(value, path) ??
    firstOf(Object.entries(value as object).map(([key, each]) => rule(each, `${path}.${key}`)));
}

/** An object with these fields, and perhaps others. */
export function fieldsOf(rules: Readonly<Record<string, JsonRule>>): JsonRule {
  return (value, path) =>
    isObject(value, path) ??
    firstOf(
      Object.entries(rules).map(([key, rule]) =>
        rule((value as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`),
      ),
    );
}

/** What `encodeJson` wrote. */
export function encoded(rule: JsonRule): JsonRule {
  return (value, path) => (value === undefined ? rule(value, path) : rule(decodeJson(value as never), path));
}

const isObject: JsonRule = expecting(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

function expecting(expected: string, isFine: (value: unknown) => boolean): JsonRule {
  return (value, path) => (isFine(value) ? undefined : `${path} is ${shown(value)}, expected ${expected}`);
}

/** Cut off: what is wrong may be large. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'missing';
  return json.length > 60 ? `${json.slice(0, 60)}...` : json;
}

function firstOf(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
