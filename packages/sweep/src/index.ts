export type { SweepErrorCode } from './errors.js';
export type { TrialResult } from './results.js';
export {
  type Choice,
  choice,
  type Dimension,
  integer,
  logUniform,
  type Range,
  type SearchSpace,
  uniform,
} from './space.js';
export { defineSweep, type SweepConfig } from './sweep-config.js';
