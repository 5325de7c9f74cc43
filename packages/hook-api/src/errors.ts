/**
 * Every error of Hookline has a code, and a message that says what was wrong, where, what was expected and
 * what to do.
 */
export class HooklineError extends Error {
  override readonly name: string = 'HooklineError';

  constructor(
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

// Symbols of the global registry, never `instanceof`: two copies of this package are normal under pnpm.
const FATAL = Symbol.for('hookline.fatal');

/** Thrown by a hook that cannot let training go on; `on*` methods that throw anything else are isolated. */
export class HookFatalError extends HooklineError {
  override readonly name: string = 'HookFatalError';

  constructor(message: string, options?: { cause?: unknown }) {
    super('HOOK_FATAL', message, options);
    // A computed member would have no declaration under isolatedDeclarations.
    Object.defineProperty(this, FATAL, { value: true });
  }
}

export function isFatal(error: unknown): boolean {
  return FATAL in Object(error);
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return (error as Partial<Error> | null | undefined)?.message ?? String(error);
}
