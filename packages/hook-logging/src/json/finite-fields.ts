export type Fields = { readonly [name: string]: unknown };

/**
 * The fields as JSON can hold them: NaN and the infinities become the strings `NaN`, `Infinity` and `-Infinity`,
 * which `Number()` turns back. `allFinite` says whether there was nothing to replace.
 */
export function finiteFields(fields: Fields): { json: Fields; allFinite: boolean } {
  let allFinite = true;
  const replace = (value: unknown): unknown => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      allFinite = false;
      return String(value);
    }
    return typeof value === 'object' && value !== null ? replaceAll(value) : value;
  };
  const replaceAll = (values: object): Fields =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, replace(value)]));
  const json = replaceAll(fields);
  return { json, allFinite };
}
