export type { GradientMonitorErrorCode } from './errors.js';
export { gradientMonitor } from './gradient-monitor.js';
export type { GradientMonitorOptions, GradientStat } from './options.js';
