import { didYouMean, type JsonValue } from '@hookline/hook-api';
import { kindOf, trainerError } from '../errors.js';
import { parsePath, pathText } from './config-path.js';
import { withHookSetting } from './hook-override.js';
import type { Overrides } from './overrides.js';
import { isPlain } from './plain.js';

/** A copy of the config with the overrides in their places. What they replace stays as it was. */
export function applyOverrides(config: object, overrides: Overrides): object {
  let result = config as Record<string, unknown>;
  for (const [path, value] of Object.entries(overrides)) {
    const [first, ...rest] = parsePath(path) as [string, ...string[]];
    result = { ...result, [first]: changed(result[first], [first], rest, value) };
  }
  return result;
}

/** What stands at `at`, with the value at `rest` below it. */
function changed(
  current: unknown,
  at: readonly string[],
  rest: readonly string[],
  value: JsonValue,
): unknown {
  const [key, ...deeper] = rest;
  if (key === undefined) return value;
  if (at.length === 1 && at[0] === 'hooks') {
    return withHookSetting(current, key, (setting) =>
      changed(typeof setting === 'boolean' && deeper.length > 0 ? {} : setting, [...at, key], deeper, value),
    );
  }
  const target = longForm(current, at);
  if (Array.isArray(target)) {
    const index = Number(key);
    if (!(index in target)) throw refused([...at, key], `${pathText(at)} has ${target.length} entries`);
    return target.map((each, i) => (i === index ? changed(each, [...at, key], deeper, value) : each));
  }
  if (!isPlain(target)) {
    const what =
      typeof target === 'function'
        ? 'it is made in code. What varies belongs in hyperparameters'
        : kindOf(target);
    throw refused(
      [...at, key],
      `${pathText(at)} is ${typeof target === 'function' ? 'a function: ' : ''}${what}`,
    );
  }
  if (pathText(at) === 'hyperparameters' && !Object.hasOwn(target, key)) {
    throw refused(
      [...at, key],
      `the config has no such hyperparameter.${didYouMean(key, Object.keys(target))}`,
    );
  }
  return { ...target, [key]: changed(target[key], [...at, key], deeper, value) };
}

/** What can be given by its name alone, as the object that has room for settings. */
function longForm(value: unknown, at: readonly string[]): unknown {
  if (at.length > 1) return value ?? {};
  if (at[0] === 'optimizer')
    return typeof value === 'string' || value === undefined ? { name: value ?? 'adam' } : value;
  if (at[0] === 'schedule' || at[0] === 'backend')
    return typeof value === 'string' ? { name: value } : (value ?? {});
  return value ?? {};
}

function refused(path: readonly string[], why: string): Error {
  return trainerError('BAD_CONFIG', `${pathText(path)} cannot be set: ${why.replace(/\.?$/, '.')}`);
}
