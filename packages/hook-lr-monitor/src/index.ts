export { lrMonitor } from './lr-monitor.js';
export type { LrMonitorOptions } from './options.js';
