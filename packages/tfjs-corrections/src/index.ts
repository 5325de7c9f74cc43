export { completeChainedOps } from './chained-ops.js';
export { correctLayers } from './correct-layers.js';
export { castToOwnData } from './cpu-cast.js';
export { registerGradients } from './gradients/register-gradients.js';
export { regularizationOf } from './regularization.js';
export { isStatefulRnn, type StatefulRnn } from './stateful-rnn.js';
