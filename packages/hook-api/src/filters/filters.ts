import type { HookContext } from '../context.js';
import { type Cadence, measure } from './cadence.js';
import { type AnyHandler, filterError, gated } from './gated.js';

/** Calls the method the first time only, in each run. */
export function once<Handler extends AnyHandler>(handler: Handler): Handler {
  let fired = false;
  return gated('once', handler, {
    due: () => !fired,
    fire: () => {
      fired = true;
    },
    reset: () => {
      fired = false;
    },
    save: () => fired,
    load: (saved) => {
      fired = saved === true;
    },
  });
}

/** Calls the method from the moment on when that many steps, epochs or seconds are completed. */
export function after<Handler extends AnyHandler>(cadence: Cadence, handler: Handler): Handler {
  const { size, count } = measure('after', cadence);
  return gated('after', handler, { due: ({ state }) => count(state) >= size });
}

/** Calls the method when the test passes; it sees `ctx` only, so that nothing is read from the device for nothing. */
export function when<Handler extends AnyHandler>(
  test: (ctx: HookContext) => boolean,
  handler: Handler,
): Handler {
  if (typeof test !== 'function') throw filterError('when', 'a function of ctx', test);
  return gated('when', handler, { due: test });
}
