export {
  type Accelerator,
  activeAccelerator,
  type ParameterUpdate,
  provideAccelerator,
  type TensorMovement,
  type TensorStatistics,
  type UpdateRuleSpec,
} from './accelerator.js';
export { deriveSeed } from './derive-seed.js';
export { type HistogramCounts, histogramOf } from './histogram-of.js';
export { copyToHost, fromHost } from './host-tensor.js';
export {
  canReadNow,
  filledTensor,
  floatValues,
  hostValues,
  isHostBackend,
  nearValues,
} from './host-values.js';
export { withoutPrefix, withPrefix } from './prefixed.js';
export { RandomGenerator, type RandomWords } from './random-generator.js';
export { readNumbers } from './read-numbers.js';
export { samplePositions } from './sample-positions.js';
export {
  countNonFinite,
  countZeros,
  type Moments,
  movementOf,
  NO_MOMENTS,
  rangeOf,
  statisticsOf,
  sumsOf,
  type WantedStatistics,
} from './statistics.js';
export { stopGradient } from './stop-gradient.js';
export { isTensor, leaves, mapTree } from './tensor-tree.js';
