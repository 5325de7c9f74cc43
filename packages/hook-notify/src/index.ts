export type { Payload } from './message/payload.js';
export { notify } from './notify.js';
export type { NotifyEvent, NotifyOptions } from './options.js';
