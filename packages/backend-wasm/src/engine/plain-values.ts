/** A copy of attributes that nobody can change; undefined where they hold more than numbers, texts, lists and the like. */
export function copyOfPlain(value: unknown): { readonly plain: unknown } | undefined {
  if (value === null || typeof value !== 'object')
    return typeof value === 'function' ? undefined : { plain: value };
  if (Array.isArray(value)) {
    const copies = value.map(copyOfPlain);
    return copies.every((copy) => copy !== undefined)
      ? { plain: copies.map(({ plain }) => plain) }
      : undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const copies = Object.entries(value).map(([key, each]) => [key, copyOfPlain(each)] as const);
  if (!copies.every(([, copy]) => copy !== undefined)) return undefined;
  return { plain: Object.fromEntries(copies.map(([key, copy]) => [key, copy!.plain])) };
}

/** Whether a value is what was copied. */
export function equalsPlain(value: unknown, copy: unknown): boolean {
  if (Object.is(value, copy)) return true;
  if (value === null || copy === null || typeof value !== 'object' || typeof copy !== 'object') return false;
  if (Array.isArray(value) !== Array.isArray(copy)) return false;
  const [left, right] = [value as Record<string, unknown>, copy as Record<string, unknown>];
  let count = 0;
  for (const key in right) {
    if (!equalsPlain(left[key], right[key])) return false;
    count++;
  }
  for (const _key in left) count--;
  return count === 0;
}
