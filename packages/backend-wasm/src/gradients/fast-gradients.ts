import * as tf from '@tensorflow/tfjs-core';
import { canFuseBackward } from '../engine/engine-state.js';
import { runOne } from '../engine/operations.js';
import { SLOPE, type Slope, SOFTMAX_GRADIENT } from '../kernels/slope.js';
import type { FastGradient, GradientFunction } from './fast-gradient.js';
import { PLAIN_GRADIENTS } from './plain-gradients.js';

/** Gradients that take one kernel on wasm and several in tfjs. */
const FAST: Readonly<Record<string, FastGradient>> = {
  ...PLAIN_GRADIENTS,
  [tf.Relu]: { gradient: slope('relu', 'x') },
  [tf.Relu6]: { gradient: slope('relu6', 'x') },
  [tf.Sigmoid]: { gradient: slope('sigmoid', 'x') },
  [tf.Tanh]: { gradient: slope('tanh', 'x') },
  [tf.Softmax]: {
    gradient: (dy, [y]) => ({ logits: () => runOne(SOFTMAX_GRADIENT, { dy: dy as tf.Tensor, y: y! }) }),
    when: ({ dim }, [y]) => dim === -1 || dim === y!.rank - 1,
  },
  // Stock makes ones and multiplies with them.
  [tf.Sum]: {
    gradient: (dy, [x], { axis }) => ({ x: () => spread(dy as tf.Tensor, x!.shape, axis as number[]) }),
    when: (_attrs, [x]) => x!.dtype === 'float32',
  },
  [tf.Mean]: {
    gradient: (dy, [x], { axis }) => ({
      x: () => {
        const share = (dy as tf.Tensor).size / x!.size;
        return spread(tf.mul(dy as tf.Tensor, share), x!.shape, axis as number[]);
      },
    }),
    when: (_attrs, [x]) => x!.dtype === 'float32' && x!.size > 0,
  },
};

/**
 * Registers these in front of the gradients of tfjs, which still serve other backends and gradients of gradients.
 * Returns how to restore those, except where somebody has registered another one since.
 */
export function registerFastGradients(): () => void {
  const replaced = Object.entries(FAST).flatMap(([name, { gradient, when }]) => {
    const stock = tf.getGradient(name);
    if (!stock) return [];
    const gradFunc: GradientFunction = (dy, saved, attrs) => {
      const isFast = canFuseBackward() && (when?.(attrs, saved) ?? true);
      return (isFast ? gradient : stock.gradFunc)(dy, saved, attrs);
    };
    const own: tf.GradConfig = { ...stock, gradFunc };
    register(own);
    return [{ stock, own }];
  });
  return () => {
    for (const { stock, own } of replaced) if (tf.getGradient(own.kernelName) === own) register(stock);
  };
}

function register(gradient: tf.GradConfig): void {
  tf.unregisterGradient(gradient.kernelName);
  tf.registerGradient(gradient);
}

function slope(of: Slope, input: string): GradientFunction {
  return (dy, [at]) => ({ [input]: () => runOne(SLOPE, { dy: dy as tf.Tensor, at: at! }, { of }) });
}

/** The gradient of a sum: the same for every term. */
function spread(dy: tf.Tensor, shape: number[], axis: number | number[]): tf.Tensor {
  const axes = tf.util.parseAxisParam(axis, shape);
  const kept = shape.map((size, i) => (axes.includes(i) ? 1 : size));
  const reps = shape.map((size, i) => (axes.includes(i) ? size : 1));
  return runOne(tf.Tile, { x: tf.reshape(dy, kept) }, { reps });
}
