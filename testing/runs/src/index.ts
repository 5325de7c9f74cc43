export {
  type DrivenHook,
  drivenHook,
  type MemoryCheckpoint,
  memoryCheckpoint,
  namedHook,
} from '@hookline/hook-testkit';
export { quietTrainer } from './quiet-trainer.js';
export { readsPerBatch } from './reads-per-batch.js';
export { type ScriptedLosses, type ScriptedOptions, scriptedLosses } from './scripted-losses.js';
export { samples, type TinyRun, tinyRun } from './tiny-run.js';
