import * as tf from '@tensorflow/tfjs-core';
import { fusedOperation, runOne } from '../engine/operations.js';
import { type FusedActivation, isFusedActivation } from '../kernels/fused-gradient.js';
import { gradientBeforeActivation } from './before-activation.js';
import type { FusableLayer, LayerFusion, LayerVariable } from './layer-fusion.js';

interface DenseLayer extends FusableLayer {
  readonly kernel: LayerVariable;
  readonly bias: LayerVariable | null;
  invokeCallHook(inputs: unknown, kwargs: unknown): void;
}

/** Product, bias and activation in one kernel, forwards; backwards one for activation and bias and one for each product. */
export const FUSED_DENSE: LayerFusion<DenseLayer> = {
  className: 'Dense',
  call: (layer, x, kwargs) => {
    const weights = layer.kernel.read();
    if (x.rank < 2 || x.shape.at(-1) !== weights.shape[0]) return undefined;
    layer.invokeCallHook(x, kwargs);
    const name = layer.activation?.getClassName() ?? 'linear';
    if (isFusedActivation(name)) return fusedDense(x, weights, layer.bias?.read(), name);
    return layer.activation!.apply(fusedDense(x, weights, layer.bias?.read(), 'linear'));
  },
};

function fusedDense(
  x: tf.Tensor,
  weights: tf.Tensor,
  bias: tf.Tensor | undefined,
  activation: FusedActivation,
): tf.Tensor {
  const [depth, units] = weights.shape as [number, number];
  const shape = [...x.shape.slice(0, -1), units];
  return fusedOperation(
    bias ? { x, weights, bias } : { x, weights },
    (save) => {
      const a = x.rank === 2 ? x : tf.reshape(x, [-1, depth]);
      const attrs = { transposeA: false, transposeB: false, activation };
      const y = runOne(tf._FusedMatMul, bias ? { a, b: weights, bias } : { a, b: weights }, attrs);
      save(activation === 'linear' ? [a, weights] : [a, weights, y]);
      return x.rank === 2 ? y : tf.reshape(y, shape);
    },
    (dy, [a, b, y]) => {
      const rows = x.rank === 2 ? dy : tf.reshape(dy, [-1, units]);
      const { dz, dBias } = gradientBeforeActivation(rows, y, activation, bias !== undefined);
      return {
        x: () => tf.reshape(tf.matMul(dz, b!, false, true), x.shape),
        weights: () => tf.matMul(a!, dz, true, false),
        bias: () => dBias!,
      };
    },
  );
}
