import * as tf from '@tensorflow/tfjs-core';
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

interface Classes {
  register(layer: { readonly className: string }): void;
}

/**
 * Computes layers in one operation where possible; returns how to undo it. If tfjs-layers is imported later, its layers
 * are changed when it registers them.
 */
export function fuseLayers(): () => void {
  const undo = FUSIONS.map(installFusion);
  const classes = tf.serialization.SerializationMap as unknown as Classes;
  const stock = classes.register;
  const register: Classes['register'] = (layer) => {
    stock.call(classes, layer);
    const fusion = FUSIONS.find(({ className }) => className === layer.className);
    if (fusion) undo.push(installFusion(fusion));
  };
  classes.register = register;
  return () => {
    if (classes.register === register) classes.register = stock;
    for (const undoOne of undo) undoOne?.();
  };
}
