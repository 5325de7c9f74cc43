export { completeChainedOps } from './chained-ops.js';
export { correctKernels } from './correct-kernels.js';
export { correctTfjs } from './correct-tfjs.js';
export { TfjsCorrectionsError, type TfjsCorrectionsErrorCode } from './errors.js';
export { registerGradients } from './gradients/register-gradients.js';
export { type CorrectedPass, correctLayers } from './layers/correct-layers.js';
export type { TakeMasks } from './layers/override.js';
export { regularizationOf } from './layers/regularization.js';
export { isStatefulRnn, type StatefulRnn } from './layers/stateful-rnn.js';
