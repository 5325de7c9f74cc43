import type { Owner } from '../journal/owner.js';
import type { Point } from '../space.js';

/** What a trial has reached at a rung. */
export interface Outcome {
  /** The best value of the monitored metric so far; NaN where it never was a number. */
  readonly value: number;
  /** Epochs and steps of the trial so far, from its beginning. */
  readonly epochs: number;
  readonly steps: number;
  /** Of this rung alone. */
  readonly seconds: number;
  /** It ended by itself, as by early stopping, and has nothing left to train. */
  readonly finished: boolean;
}

/** One point of the search space, and how far its training has come. */
export interface Trial {
  readonly number: number;
  readonly point: Point;
  /** By rung. */
  readonly outcomes: readonly Outcome[];
  /** The rung that it is training for now, and who trains it. */
  readonly running: number | undefined;
  readonly by?: Owner | undefined;
  /** The rung that it was training for when its process ended before it. */
  readonly interrupted: number | undefined;
  readonly failed: string | undefined;
}
