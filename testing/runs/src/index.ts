export { type DrivenHook, type DrivenOptions, drivenHook } from './driven-hook.js';
export { type MemoryCheckpoint, memoryCheckpoint } from './memory-checkpoint.js';
export { namedHook } from './named-hook.js';
export { quietTrainer } from './quiet-trainer.js';
export { readsPerBatch } from './reads-per-batch.js';
export { type ScriptedLosses, type ScriptedOptions, scriptedLosses } from './scripted-losses.js';
export { samples, type TinyRun, tinyRun } from './tiny-run.js';
