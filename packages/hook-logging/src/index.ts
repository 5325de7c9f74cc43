export type { ConsoleLogOptions } from './console-log.js';
export { consoleLog } from './console-log.js';
export type { JsonLogOptions } from './json-log.js';
export { jsonLog } from './json-log.js';
export type { BackendName, LoggingOptions } from './logging.js';
export { logging } from './logging.js';
export type { MetricFilter } from './metric-filter.js';
export type { ConsoleAnnouncement } from './terminal.js';
export { consoleKey } from './terminal.js';
