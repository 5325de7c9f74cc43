// What `@hookline/trainer/config` exports: for programs that train from config files, as `hookline train` does.
export { type Config, type DataSets, defineConfig, type FileReference } from './config.js';
export { type ConfigOptions, type LoadedConfig, loadConfig } from './load-config.js';
export { loadTraining, type Training } from './load-training.js';
export { type Overrides, overridesOf } from './overrides.js';
