export { debug } from './debug.js';
export type { Finding, LayerOutput } from './finding.js';
export type { LayerRange } from './layer-ranges.js';
export type { NonFiniteValues } from './non-finite-values.js';
export type { DebugOptions } from './options.js';
export { type ReplayOptions, replay } from './replay.js';
export type { ReplayReport } from './replay-report.js';
