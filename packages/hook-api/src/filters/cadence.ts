import type { TrainingState } from '../context.js';
import { filterError } from './gated.js';

export type Cadence =
  | { steps: number; epochs?: never; seconds?: never }
  | { epochs: number; steps?: never; seconds?: never }
  | { seconds: number; steps?: never; epochs?: never };

type Count = (state: TrainingState) => number;

export function measure(name: string, cadence: Cadence): { unit: string; size: number; count: Count } {
  const [[unit, size] = ['', 0], other] = Object.entries(cadence ?? {});
  const isOne = Object.hasOwn(COUNTS, unit) && other === undefined;
  if (!isOne || typeof size !== 'number' || !(size > 0)) {
    throw filterError(name, 'one of { steps }, { epochs } or { seconds } above 0', cadence);
  }
  return { unit, size, count: COUNTS[unit]! };
}

const COUNTS: Record<string, Count> = {
  steps: (state) => state.step,
  epochs: (state) => state.completedEpochs,
  seconds: (state) => state.elapsedSeconds,
};
