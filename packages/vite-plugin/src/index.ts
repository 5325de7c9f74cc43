export type { PluginErrorCode } from './errors.js';
export type { HooklineOptions } from './options.js';
export { hookline } from './vite.js';
