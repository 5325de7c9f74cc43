/** A value as error messages show it; never throws. */
export function show(value: unknown): string {
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`;
  if (typeof value !== 'object' && typeof value !== 'string') return String(value);
  try {
    return JSON.stringify(value, finiteOrText);
  } catch {
    return 'an object'; // circular, or with values that JSON cannot hold
  }
}

/** For `JSON.stringify`, which would write `null` for NaN and the infinities: they become text. */
export function finiteOrText(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
