export { gradientMonitor } from './gradient-monitor.js';
export { type Histogram, histogramsKey } from './histogram.js';
export type { GradientMonitorOptions, GradientStat } from './options.js';
