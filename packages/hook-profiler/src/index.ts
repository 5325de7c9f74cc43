export type { ProfilerOptions } from './options.js';
export type { Finding, Profile, Share } from './profile.js';
export { profiler } from './profiler.js';
