import * as tf from '@tensorflow/tfjs-core';
import { fusedOperation, runMany, runOne } from '../engine/operations.js';
import { BATCH_NORM, BATCH_NORM_GRADIENT, MOVE_AVERAGE } from '../kernels/norm.js';
import type { FusableLayer, LayerFusion, LayerVariable } from './layer-fusion.js';

interface BatchNormalizationLayer extends FusableLayer {
  readonly axis: number;
  readonly epsilon: number;
  readonly momentum: number;
  readonly gamma: LayerVariable | null;
  readonly beta: LayerVariable | null;
  readonly movingMean: LayerVariable;
  readonly movingVariance: LayerVariable;
}

/** In training, over the last axis. Outside of training, stock takes one kernel already. */
export const FUSED_BATCH_NORMALIZATION: LayerFusion<BatchNormalizationLayer> = {
  className: 'BatchNormalization',
  call: (layer, x, kwargs) => {
    const axis = layer.axis < 0 ? layer.axis + x.rank : layer.axis;
    if (!kwargs?.training || axis !== x.rank - 1 || x.size === 0) return undefined;
    const width = x.shape.at(-1)!;
    const { epsilon } = layer;
    const gamma = layer.gamma?.read() ?? tf.ones([width]);
    const beta = layer.beta?.read() ?? tf.zeros([width]);
    return fusedOperation(
      { x, gamma, beta },
      (save) => {
        const [y, mean, variance] = runMany(BATCH_NORM, { x, gamma, beta }, { epsilon });
        move(layer.movingMean, mean!, layer.momentum);
        move(layer.movingVariance, variance!, layer.momentum);
        save([x, gamma, mean!, variance!]);
        return y!;
      },
      (dy, saved) => {
        const [input, scale, mean, variance] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
        const inputs = { x: input, dy, gamma: scale, mean, variance };
        const [dx, dGamma, dBeta] = runMany(BATCH_NORM_GRADIENT, inputs, { epsilon });
        return { x: () => dx!, gamma: () => dGamma!, beta: () => dBeta! };
      },
    );
  },
};

function move(average: LayerVariable, value: tf.Tensor, momentum: number): void {
  average.write(runOne(MOVE_AVERAGE, { average: average.read(), value }, { rate: 1 - momentum }));
}
