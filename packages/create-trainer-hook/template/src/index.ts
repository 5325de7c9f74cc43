export { myHook } from './my-hook.js';
export type { MyHookOptions } from './options.js';
