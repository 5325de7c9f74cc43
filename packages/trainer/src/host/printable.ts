/** What moves the cursor, or turns the direction of writing around; line breaks and tabs aside. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text from data, files or packages must not steer the terminal. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** A copy of what was read from files, in which no text steers the terminal or begins a line of its own. */
export function printable<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string') return withoutControls(value.replace(/[\t\n\v\f\r\u2028\u2029]+/g, ' '));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const entries = (value instanceof Map ? [...value] : Object.entries(value)).map(([key, each]) => [
    copyOf(key),
    copyOf(each),
  ]);
  return value instanceof Map ? new Map(entries as [unknown, unknown][]) : Object.fromEntries(entries);
}

/** JSON that can be printed: every control character is escaped, and comes back when it is parsed. */
export function printableJson(value: unknown): string {
  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value, null, 2).replace(CONTROLS, escaped)}\n`;
}
