import { FUSED_BATCH_NORMALIZATION } from './batch-normalization.js';
import { FUSED_CONV2D } from './conv2d.js';
import { FUSED_DENSE } from './dense.js';
import { installFusion, type LayerFusion } from './layer-fusion.js';
import { FUSED_LAYER_NORMALIZATION } from './layer-normalization.js';
import { FUSED_GRU, FUSED_LSTM } from './recurrent.js';

const FUSIONS = [
  FUSED_DENSE,
  FUSED_CONV2D,
  FUSED_BATCH_NORMALIZATION,
  FUSED_LAYER_NORMALIZATION,
  FUSED_LSTM,
  FUSED_GRU,
] as unknown as readonly LayerFusion[];

/** Computes layers in one operation where they can be; returns what undoes that. */
export function fuseLayers(): () => void {
  const undo = FUSIONS.map(installFusion);
  return () => {
    for (const undoOne of undo) undoOne?.();
  };
}
