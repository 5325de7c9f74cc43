export type { ProgressOptions } from './progress.js';
export { progress } from './progress.js';
export type { LiveTerminal, ProgressStream } from './terminal.js';
export { terminalKey } from './terminal.js';
