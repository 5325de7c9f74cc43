import type { TappableModel } from './module.js';
import { type Tap, tap } from './tap.js';
import type { TapSpec } from './tap-handlers.js';

/**
 * Runs the function with the taps in place, and takes them away when it is done or has thrown. An async function keeps
 * them until it settles, for everything that runs the model meanwhile.
 *
 * @example withTaps(model, [['dense_1', ({ output }) => tf.zerosLike(output)]], () => model.predict(x))
 */
export function withTaps<Result>(model: TappableModel, taps: readonly TapSpec[], run: () => Result): Result {
  const added: Tap[] = [];
  const removeAll = (): void => {
    for (const each of added) each.remove();
  };
  let result: Result;
  try {
    for (const [filter, handler] of taps) added.push(tap(model, filter, handler));
    result = run();
  } catch (error) {
    removeAll();
    throw error;
  }
  if (!isPromise(result)) {
    removeAll();
    return result;
  }
  return result.finally(removeAll) as Result;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Partial<Promise<unknown>> | null | undefined)?.finally === 'function';
}
