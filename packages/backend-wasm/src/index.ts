export { type AttentionOptions, attention } from './attention/attention.js';
export { withoutEmscriptenListeners } from './backend/emscripten-listeners.js';
export { enableTraining, type TrainingOptions } from './enable-training.js';
export type { Training } from './enabled.js';
export { BackendWasmError, type BackendWasmErrorCode } from './errors.js';
