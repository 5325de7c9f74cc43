export { type AttentionOptions, attention } from './attention/attention.js';
export { enableTraining, type TrainingOptions } from './enable-training.js';
export type { Training } from './enabled.js';
export { BackendWasmError, type BackendWasmErrorCode } from './errors.js';
