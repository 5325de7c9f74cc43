import type { HooklineError } from '@hookline/hook-api';

/** The error that a promise or a function ends with; fails when it ends well. */
export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<HooklineError> {
  let outcome: unknown;
  try {
    outcome = await (typeof work === 'function' ? work() : work);
  } catch (error) {
    return error as HooklineError;
  }
  throw new Error(`Expected an error, but it ended well with ${JSON.stringify(outcome)}.`);
}
