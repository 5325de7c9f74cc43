export { type Clip, type ClipOption, clipGradients, clipOf, globalNorm } from './clip.js';
export {
  checkOptimizers,
  createOptimizers,
  type OptimizerOption,
  type OptimizerSpec,
} from './create-optimizers.js';
export type { HeldOptimizer, Optimizer, Parameter } from './optimizer.js';
export type { ParameterGroup } from './parameter-groups.js';
export type { OptimizerName, OptimizerOptions } from './rules/optimizer-kinds.js';
export {
  createSchedule,
  type ScheduleName,
  type ScheduleOption,
  type ScheduleSpec,
} from './schedules/create-schedule.js';
export { LrSchedule } from './schedules/lr-schedule.js';
export { type EmaOptions, WeightAverage } from './weight-average.js';
