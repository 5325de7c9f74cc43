import type { TrainingState } from '../context.js';
import { type Cadence, measure } from './cadence.js';
import { type AnyHandler, gated } from './gated.js';

/**
 * Calls the method each time another `n` steps, epochs or seconds are completed. None is ever missed: what counts is
 * that a multiple was crossed since the last call, not that it was hit. Once due, the method gets every call of
 * that batch: all tapped layers, all optimizers.
 */
export function every<Handler extends AnyHandler>(cadence: Cadence, handler: Handler): Handler {
  const { unit, size, count } = measure('every', cadence);
  const multiple = (value: number) => Math.floor(value / size);
  let start = 0;
  // The count at the last call, not its multiple: a resumed run may have a different cadence. One for each
  // status: otherwise a validation between two steps would use up the call that training is due.
  let last: { [status: string]: number } = {};
  let batch: BatchPlace | null = null;
  return gated('every', handler, {
    due: ({ state }) => {
      const now = count(state);
      const before = last[state.status];
      const isFirst = before === undefined && now % size === 0;
      return isFirst || multiple(now) !== multiple(before ?? start) || isAt(batch, state);
    },
    fire: ({ state }) => {
      last[state.status] = count(state);
      const { status, epoch, step, batchIndex } = state;
      batch = { status, epoch, step, batchIndex };
    },
    reset: ({ state }) => {
      start = count(state);
      last = {};
      batch = null;
    },
    // With the batch: a resumed run may start with it again.
    save: () => [unit, start, { ...last }, batch],
    load: (saved) => {
      if (!Array.isArray(saved) || saved[0] !== unit) return;
      [, start, last, batch = null] = saved as [string, number, typeof last, typeof batch?];
    },
  });
}

type BatchPlace = Pick<TrainingState, 'status' | 'epoch' | 'step' | 'batchIndex'>;

function isAt(place: BatchPlace | null, { status, epoch, step, batchIndex }: TrainingState): boolean {
  const isSameBatch = place?.step === step && place.batchIndex === batchIndex;
  return isSameBatch && place.epoch === epoch && place.status === status;
}
