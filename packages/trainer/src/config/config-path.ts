import { trainerError } from '../errors.js';

/** Keys that reach the prototype of an object instead of the object. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export function isForbidden(key: string): boolean {
  return FORBIDDEN.has(key);
}

/** `hooks.early-stopping.patience` as its keys. A key with dots is quoted: `hooks["./hooks/mine.ts#Mine"].scale`. */
export function parsePath(text: string): string[] {
  const keys: string[] = [];
  let rest = text;
  while (rest !== '') {
    const [part, plain, quoted] = /^(?:\.?([^.[\]"=\s]+)|\[("(?:[^"\\]|\\.)*"|\d+)\])/.exec(rest) ?? [];
    // Plain keys are separated by dots, and the first has none before it.
    if (part === undefined || (plain !== undefined && part.startsWith('.') === (rest === text))) {
      throw badPath(text);
    }
    keys.push(plain ?? String(JSON.parse(quoted!)));
    rest = rest.slice(part.length);
    if (rest !== '' && !/^[.[]/.test(rest)) throw badPath(text);
  }
  if (keys.length === 0) throw badPath(text);
  const forbidden = keys.find(isForbidden);
  if (forbidden === undefined) return keys;
  throw trainerError(
    'BAD_CONFIG',
    `${text}: the key "${forbidden}" is refused: it would change every object.`,
  );
}

/** The keys as a path, the way that `parsePath` reads it. */
export function pathText(keys: readonly string[]): string {
  return keys
    .map((key, index) =>
      /^[^.[\]"=\s]+$/.test(key) ? `${index > 0 ? '.' : ''}${key}` : `[${JSON.stringify(key)}]`,
    )
    .join('');
}

function badPath(text: string): Error {
  return trainerError(
    'BAD_CONFIG',
    `"${text}" is not the path of a setting. Expected one such as fit.epochs, or hooks["./hooks/mine.ts#Mine"].scale.`,
  );
}
