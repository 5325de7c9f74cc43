export type { ReportOptions } from './options.js';
export { report } from './report.js';
export { runEnding } from './run-ending.js';
export { type ReportFile, writeReport } from './write-report.js';
