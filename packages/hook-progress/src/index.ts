export type { ProgressOptions } from './progress.js';
export { progress } from './progress.js';
export type { ProgressStream } from './terminal.js';
