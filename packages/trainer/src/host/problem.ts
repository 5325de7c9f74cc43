/** Why a backend cannot be used, and what the user can do about it. */
export interface Problem {
  readonly what: string;
  readonly fix: string;
  readonly cause?: unknown;
}

/** The first line of an error's message: the rest is often a page of advice. */
export function firstLine(error: unknown): string {
  const message = (error as { message?: unknown } | null | undefined)?.message ?? error;
  return (
    String(message)
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? 'unknown error'
  );
}
