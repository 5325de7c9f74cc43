/** The same values under longer names. */
export function withPrefix<Value>(
  values: Readonly<Record<string, Value>>,
  prefix: string,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}

/** The values whose names start with the prefix, without it in their names. */
export function withoutPrefix<Value>(
  values: Readonly<Record<string, Value>>,
  prefix: string,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}
