export { type Confusion, isConfusion } from './confusion.js';
export { findRuns } from './find-runs.js';
export { type FollowOptions, follow } from './follow.js';
export type { LogLine } from './log-line.js';
export type { Points } from './points.js';
export type { Profile } from './profile.js';
export { type ReadRunOptions, readRun } from './read-run.js';
export { type RecordedView, readRecord } from './run-record.js';
export type {
  EarlierRun,
  EpochView,
  HistogramView,
  HookView,
  LayerView,
  Resume,
  RunView,
  Status,
  WarningView,
} from './run-view.js';
export { Series } from './series.js';
export { thin } from './thin.js';
export { ViewBuilder } from './view-builder.js';
