import type { JsonValue } from '@hookline/hook-api';
import { valueKinds } from '#host';
import { canonicalLeaf, classNameOf, sha256 } from './canonical-leaf.js';
import { isSecret } from './secrets.js';

// A config that somehow drags half the program along still gives a record and a hash, in bounded time.
const MAX_DEPTH = 64;
const MAX_OBJECTS = 20_000;
/** Longer lists are data: a hash of them does. */
const MAX_LISTED = 256;

/**
 * A config as JSON that is the same for equal configs, in every process and whatever the order of their keys.
 * What JSON does not know is written as an object whose only or first key begins with `$`. Functions count by
 * name, instances by class and fields. An option that is undefined equals one that is not given.
 */
export function canonicalConfig(config: unknown, conceal?: (secret: JsonValue) => JsonValue): JsonValue {
  const ancestors = new Map<object, string>();
  let objects = 0;

  const visit = (value: unknown, path: string, key?: string): JsonValue => {
    if (conceal && isSecret(key, value)) return conceal(canonicalConfig(value));
    const above = ancestors.get(value as object);
    if (above !== undefined) return { $cycle: above };
    try {
      const leaf = canonicalLeaf(value);
      if (leaf !== undefined) return leaf;
      const object = value as object;
      if (ancestors.size >= MAX_DEPTH || ++objects > MAX_OBJECTS) return { $omitted: classNameOf(object) };
      ancestors.set(object, path);
      return expand(object, (inner, name) => visit(inner, `${path}.${name}`, name));
    } catch {
      // A getter that throws, a proxy that was revoked.
      return { $unreadable: true };
    } finally {
      ancestors.delete(value as object);
    }
  };

  return visit(config, 'config');
}

type Visit = (inner: unknown, name: string) => JsonValue;

function expand(value: object, visit: Visit): JsonValue {
  if (Array.isArray(value)) return expandList(value, visit);
  if (valueKinds.isMap(value)) {
    const entries = [...value].map(([key, inner]) => [
      visit(key, 'key'),
      visit(inner, typeof key === 'string' ? key : 'value'),
    ]);
    return { $map: sortedByText(entries) };
  }
  if (valueKinds.isSet(value)) return { $set: sortedByText([...value].map((inner) => visit(inner, 'item'))) };
  if (isPlain(value)) return expandFields(value, visit);
  return expandInstance(value, visit);
}

function expandList(list: readonly unknown[], visit: Visit): JsonValue {
  const items = Array.from(list, (inner, i) => visit(inner, String(i)));
  return list.length > MAX_LISTED ? { $list: list.length, sha256: sha256(JSON.stringify(items)) } : items;
}

function expandInstance(value: object, visit: Visit): JsonValue {
  // Layers and optimizers of tfjs describe themselves better than their fields do.
  const { getClassName, getConfig, toJSON } = value as Partial<Record<string, () => unknown>>;
  if (typeof getClassName === 'function' && typeof getConfig === 'function') {
    return { $class: String(getClassName.call(value)), config: visit(getConfig.call(value), 'config') };
  }
  const $class = classNameOf(value);
  if (typeof toJSON === 'function') return { $class, value: visit(toJSON.call(value), 'value') };
  return { $class, ...expandFields(value, visit) };
}

function expandFields(value: object, visit: Visit): { [key: string]: JsonValue } {
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  // A key that begins with `$` gets a second one, so that it differs from the marks above.
  return Object.fromEntries(
    fields.map(([key, inner]) => [key.startsWith('$') ? `$${key}` : key, visit(inner, key)]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function sortedByText<T extends JsonValue>(values: T[]): T[] {
  const byText = values.map((value) => [JSON.stringify(value), value] as const);
  return byText.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
