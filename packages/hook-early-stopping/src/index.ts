export { earlyStopping } from './early-stopping.js';
export { isBetter } from './improvement.js';
export type { EarlyStoppingOptions } from './options.js';
