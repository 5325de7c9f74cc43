export { checkpoint } from './checkpoint.js';
export type { CheckpointInfo } from './checkpoint-info.js';
export type { CheckpointOptions } from './options.js';
export { readSnapshot } from './read-snapshot.js';
