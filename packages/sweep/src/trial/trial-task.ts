import type { Point } from '../space.js';

/** What a trial's process is told, as JSON in its only argument. */
export interface TrialTask {
  /** The training config. */
  readonly configFile: string;
  readonly point: Point;
  /** The folder of the trial: its run, and what it says. */
  readonly folder: string;
  /** Train until this many epochs are over. */
  readonly epochs: number;
  readonly monitor: string;
  readonly mode: 'min' | 'max';
}

/** Where the process leaves what it has reached, within the folder of the trial. */
export const OUTCOME_FILE = 'outcome.json';
