import * as tf from '@tensorflow/tfjs-core';
import { fusedOperation, runOne } from '../engine/operations.js';
import { type FusedActivation, isFusedActivation } from '../kernels/fused-gradient.js';
import { gradientBeforeActivation } from './before-activation.js';
import type { FusableLayer, LayerFusion, LayerVariable } from './layer-fusion.js';

interface Conv2DLayer extends FusableLayer {
  readonly kernel: LayerVariable;
  readonly bias: LayerVariable | null;
  readonly strides: [number, number];
  readonly padding: string;
  readonly dataFormat: string;
  readonly dilationRate: number | [number, number];
}

/** Convolution, bias and activation in one kernel, with any dilation. */
export const FUSED_CONV2D: LayerFusion<Conv2DLayer> = {
  className: 'Conv2D',
  call: (layer, x) => {
    const { strides, padding, dataFormat, dilationRate } = layer;
    // Conv2DTranspose and others inherit from it and have their own calls.
    if (layer.getClassName() !== 'Conv2D' || x.rank !== 4) return undefined;
    if (dataFormat === 'channelsFirst' || (padding !== 'same' && padding !== 'valid')) return undefined;
    const attrs = { strides, pad: padding, dilations: dilationRate, dataFormat: 'NHWC' };
    const name = layer.activation?.getClassName() ?? 'linear';
    const bias = layer.bias?.read();
    if (isFusedActivation(name)) return fusedConv2d(x, layer.kernel.read(), bias, name, attrs);
    return layer.activation!.apply(fusedConv2d(x, layer.kernel.read(), bias, 'linear', attrs));
  },
};

function fusedConv2d(
  x: tf.Tensor,
  filter: tf.Tensor,
  bias: tf.Tensor | undefined,
  activation: FusedActivation,
  attrs: object,
): tf.Tensor {
  return fusedOperation(
    bias ? { x, filter, bias } : { x, filter },
    (save) => {
      const y = runOne(tf.FusedConv2D, bias ? { x, filter, bias } : { x, filter }, { ...attrs, activation });
      save(activation === 'linear' ? [x, filter] : [x, filter, y]);
      return y;
    },
    (dy, [image, weights, y]) => {
      const { dz, dBias } = gradientBeforeActivation(dy, y, activation, bias !== undefined);
      return {
        x: () =>
          runOne(tf.Conv2DBackpropInput, { dy: dz, filter: weights! }, { ...attrs, inputShape: x.shape }),
        filter: () =>
          runOne(tf.Conv2DBackpropFilter, { x: image!, dy: dz }, { ...attrs, filterShape: filter.shape }),
        bias: () => dBias!,
      };
    },
  );
}
