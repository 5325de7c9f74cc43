export type { NonFiniteValues } from './check/non-finite-values.js';
export { debug } from './debug.js';
export type { DebugErrorCode } from './errors.js';
export type { Finding, LayerOutput } from './finding/finding.js';
export type { DebugOptions } from './options.js';
export type { LayerRange } from './replay/layer-ranges.js';
export { type ReplayOptions, replay } from './replay/replay.js';
export type { ReplayReport } from './replay/replay-report.js';
