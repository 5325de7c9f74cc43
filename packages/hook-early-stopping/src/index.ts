export { earlyStopping } from './early-stopping.js';
export type { EarlyStoppingOptions } from './options.js';
