import type { JsonValue } from '@hookline/hook-api';

/** One setting that two runs have differently; undefined where one has none. */
export interface Difference {
  readonly path: string;
  readonly a: JsonValue | undefined;
  readonly b: JsonValue | undefined;
}

/** Where two JSON values differ, down to the innermost keys. Lists count as a whole. */
export function differences(a: JsonValue | undefined, b: JsonValue | undefined, path = ''): Difference[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (!isObject(a) || !isObject(b)) return [{ path, a, b }];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return keys.flatMap((key) => differences(a[key], b[key], path === '' ? key : `${path}.${key}`));
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
