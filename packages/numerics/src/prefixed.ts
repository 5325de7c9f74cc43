/** The same values under longer names. */
export function withPrefix<Value>(
  values: Readonly<Record<string, Value>>,
  prefix: string,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}

/** Those whose names begin with the prefix, under the rest of their names. */
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
