export { checkpoint } from './checkpoint.js';
export type { CheckpointInfo } from './folder/checkpoint-info.js';
export { readSnapshot } from './format/read-snapshot.js';
export type { CheckpointOptions } from './options.js';
export type { CheckpointMonitor } from './rank/monitor-options.js';
