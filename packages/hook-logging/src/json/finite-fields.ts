export type Fields = { readonly [name: string]: unknown };

/**
 * The fields as JSON can hold them: NaN and the infinities become the strings `NaN`, `Infinity` and `-Infinity`,
 * which `Number()` turns back. `finite` tells whether there was nothing to replace.
 */
export function jsonFields(fields: Fields): { json: Fields; finite: boolean } {
  let finite = true;
  const replace = (value: unknown): unknown => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      finite = false;
      return String(value);
    }
    return typeof value === 'object' && value !== null ? replaceAll(value) : value;
  };
  const replaceAll = (values: object): Fields =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, replace(value)]));
  const json = replaceAll(fields);
  return { json, finite };
}
