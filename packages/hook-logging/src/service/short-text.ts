const LONGEST = 500;

/** What a server or a library says, as far as a person wants to read it in a warning: one line, not too long. */
export function shortText(said: unknown): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? String(said));
  // Cut twice: the first time so that nothing long is searched.
  const line = text
    .slice(0, 2 * LONGEST)
    .replace(/[\s\p{Control}]+/gu, ' ')
    .trim();
  return line.length <= LONGEST && text.length <= 2 * LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}
