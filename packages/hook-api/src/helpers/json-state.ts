import type { JsonValue } from '../json.js';

/** Says what cannot be saved, and where it is. */
type Refuse = (path: string, what: string) => never;

const MARK = '$number';

/**
 * A copy that JSON can hold. Numbers that JSON cannot hold (NaN, the infinities, -0) come back from `decodeJson` as they
 * were; anything else that would be lost is refused.
 */
export function encodeJson(value: unknown, refuse: Refuse = refuseAny): JsonValue {
  return encode(value, '', [], refuse);
}

export function decodeJson(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(decodeJson);
  const entries = Object.entries(json);
  if (entries.length === 1 && entries[0]![0] === MARK) return Number(entries[0]![1]);
  return Object.fromEntries(entries.map(([key, each]) => [key.replace(/^\$\$/, '$'), decodeJson(each)]));
}

function encode(value: unknown, path: string, above: readonly object[], refuse: Refuse): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return isInJson(value) ? value : { [MARK]: textOf(value) };
  if (typeof value !== 'object') return refuse(path, value === undefined ? 'undefined' : `a ${typeof value}`);
  if (above.includes(value)) return refuse(path, 'an object that contains itself');
  const within = [...above, value];
  if (Array.isArray(value)) {
    return Array.from(value, (each, index) => encode(each, `${path}[${index}]`, within, refuse));
  }
  if (!isPlain(value)) return refuse(path, `a ${value.constructor?.name || 'value of a class'}`);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      // So that a key of the user cannot be taken for our mark.
      key.startsWith('$') ? `$${key}` : key,
      encode(each, path === '' ? key : `${path}.${key}`, within, refuse),
    ]),
  );
}

function isInJson(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0);
}

function textOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** An object literal, also one of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuseAny(path: string, what: string): never {
  throw new TypeError(`${path || 'The value'} is ${what}, which JSON cannot hold.`);
}
