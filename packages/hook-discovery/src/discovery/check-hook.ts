import { assertHook, didYouMean, type Hook } from '@hookline/hook-api';
import { HOOK_KINDS } from '@hookline/hook-api/helpers';
import { discoveryError } from '../errors.js';

/** Throws on anything that is not a hook, and on kinds that do not exist: lists of hooks by kind would miss it. */
export function checkHook(hook: unknown): asserts hook is Hook {
  assertHook(hook);
  const { name, kinds = [] } = hook as Hook & { kinds?: unknown };
  const wrong = Array.isArray(kinds) ? kinds.find((kind) => !HOOK_KINDS.includes(kind)) : kinds;
  if (wrong === undefined) return;
  throw discoveryError(
    'NOT_A_HOOK',
    `Hook "${name}": expected kinds to be a list of "${HOOK_KINDS.join('", "')}", got ${JSON.stringify(wrong)}.` +
      didYouMean(String(wrong), HOOK_KINDS),
  );
}
