export { type CreatedHook, type CreateHookOptions, createHook } from './create-hook.js';
export type { CreateErrorCode } from './errors.js';
