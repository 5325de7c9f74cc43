export type { ProgressStream } from './display/terminal.js';
export type { ProgressOptions } from './options.js';
export { progress } from './progress.js';
