export { notify } from './notify.js';
export type { NotifyEvent, NotifyOptions } from './options.js';
export type { Payload } from './payload.js';
