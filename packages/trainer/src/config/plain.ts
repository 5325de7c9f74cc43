/** An object literal or one from JSON: not a list, an instance or a function. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // By its own prototype: a config that jiti loaded may come from another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
