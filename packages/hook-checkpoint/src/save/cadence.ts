import type { JsonValue, TrainingState } from '@hookline/hook-api';

/** How much of each unit lies between two saves. */
export interface Pace {
  steps?: number;
  epochs?: number;
  minutes?: number;
}

export type Unit = keyof Pace;

type Counted = Pick<TrainingState, 'step' | 'completedEpochs' | 'elapsedSeconds'>;

const COUNTS: Readonly<Record<Unit, (state: Counted) => number>> = {
  steps: ({ step }) => step,
  epochs: ({ completedEpochs }) => completedEpochs,
  minutes: ({ elapsedSeconds }) => elapsedSeconds / 60,
};

/**
 * Knows when a save is due: each time another `n` steps, epochs or minutes are complete. What counts is that a multiple
 * was crossed since the last time, not that it was hit, so that none is missed, whatever happened in between.
 */
export class Cadence {
  readonly #pace: [Unit, number][];
  /** The counts at the last time, not their multiples: a resumed run may have another pace. */
  #last: Partial<Record<Unit, number>> = {};

  constructor(pace: Pace) {
    const entries = Object.entries(pace) as [Unit, number | undefined][];
    this.#pace = entries.filter((entry): entry is [Unit, number] => entry[1] !== undefined);
  }

  /** Why a save is due, for these units: `every 100 steps`. */
  due(state: Counted, ...units: Unit[]): string | undefined {
    for (const [unit, size] of this.#pace) {
      if (!units.includes(unit)) continue;
      const [now, before] = [COUNTS[unit](state), this.#last[unit] ?? 0];
      // A count below the last one is from another run: counting starts over.
      if (Math.floor(now / size) === Math.floor(before / size)) continue;
      return size === 1 ? `every ${unit.slice(0, -1)}` : `every ${size} ${unit}`;
    }
    return undefined;
  }

  /** Whether the current epoch will be due when it is complete. */
  dueAfterEpoch(state: Counted): boolean {
    return this.due({ ...state, completedEpochs: state.completedEpochs + 1 }, 'epochs') !== undefined;
  }

  /** Uses up what is due now, for these units. */
  mark(state: Counted, ...units: Unit[]): void {
    for (const unit of units) this.#last[unit] = COUNTS[unit](state);
  }

  save(): { [unit: string]: JsonValue } {
    return { ...this.#last };
  }

  load(saved: Readonly<Record<string, unknown>>): void {
    this.#last = {};
    for (const unit of Object.keys(COUNTS) as Unit[]) {
      const count = saved[unit];
      if (typeof count === 'number') this.#last[unit] = count;
    }
  }
}
