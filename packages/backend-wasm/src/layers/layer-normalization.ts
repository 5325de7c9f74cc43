import * as tf from '@tensorflow/tfjs-core';
import { fusedOperation, runMany } from '../engine/operations.js';
import { LAYER_NORM, LAYER_NORM_GRADIENT } from '../kernels/norm.js';
import type { FusableLayer, LayerFusion, LayerVariable } from './layer-fusion.js';

interface LayerNormalizationLayer extends FusableLayer {
  readonly axis: number | number[];
  readonly epsilon: number;
  readonly gamma: LayerVariable | null;
  readonly beta: LayerVariable | null;
}

/** Over the last axis. Stock tiles mean, variance, gamma and beta to the size of x. */
export const FUSED_LAYER_NORMALIZATION: LayerFusion<LayerNormalizationLayer> = {
  className: 'LayerNormalization',
  call: (layer, x) => {
    const axes = [layer.axis].flat();
    if (axes.length !== 1 || (axes[0] !== x.rank - 1 && axes[0] !== -1) || x.size === 0) return undefined;
    const width = x.shape.at(-1)!;
    const gamma = layer.gamma?.read() ?? tf.ones([width]);
    const beta = layer.beta?.read() ?? tf.zeros([width]);
    return fusedOperation(
      { x, gamma, beta },
      (save) => {
        const [y, mean, inverse] = runMany(LAYER_NORM, { x, gamma, beta }, { epsilon: layer.epsilon });
        save([x, gamma, mean!, inverse!]);
        return y!;
      },
      (dy, saved) => {
        const [input, scale, mean, inverse] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
        const [dx, dGamma, dBeta] = runMany(LAYER_NORM_GRADIENT, {
          x: input,
          dy,
          gamma: scale,
          mean,
          inverse,
        });
        return { x: () => dx!, gamma: () => dGamma!, beta: () => dBeta! };
      },
    );
  },
};
