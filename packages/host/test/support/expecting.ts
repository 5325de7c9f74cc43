/** Checks that need no test runner: the cases run under vitest, and in the pages of browser-check. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`);
}

/** The code with which something fails. */
export async function codeOf(failing: Promise<unknown>): Promise<string> {
  try {
    await failing;
    return 'it worked';
  } catch (error) {
    const { code, errno, message } = error as { code?: string; errno?: unknown; message?: string };
    if (code === undefined) return `no code: ${message}`;
    if (typeof errno !== 'number') return `${code} without errno`;
    return code;
  }
}

/** Bytes that are not all the same, and different for each seed. */
export function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = i * 31 + seed * 17 + (i >> 8);
  return bytes;
}
