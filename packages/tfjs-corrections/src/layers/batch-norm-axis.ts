import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import { type Correction, overrideMethod, undoAll } from './override.js';

/**
 * Stock: a batch normalisation over an axis other than the last cannot be trained, and mixes up its channels on cpu and
 * wasm, whose kernel reads the averages as if they were along the last axis. Here the axis is moved to the end for the
 * layer's call and back afterwards. A tap on such a layer sees the channels last.
 */
export function batchNormAxis(layers: readonly Layer[]): Correction | undefined {
  const moved = layers.flatMap((layer) => {
    const axis = layer.getClassName() === 'BatchNormalization' ? axisToMove(layer) : undefined;
    return axis === undefined ? [] : [{ layer: layer as Layer & { axis: number }, axis }];
  });
  if (moved.length === 0) return undefined;
  return () => {
    const undo = moved.map(({ layer, axis }) =>
      overrideMethod(layer, 'call', (call) => (inputs, kwargs) => {
        const input = Array.isArray(inputs) ? inputs[0]! : inputs;
        const axes = input.shape.map((_, i) => i);
        const toLast = [...axes.filter((i) => i !== axis), axis];
        const configured = layer.axis;
        layer.axis = -1;
        try {
          return tf.tidy(() => {
            const output = call(tf.transpose(input, toLast), kwargs);
            const fromLast = axes.map((i) => toLast.indexOf(i));
            return tf.transpose(Array.isArray(output) ? output[0]! : output, fromLast);
          });
        } finally {
          layer.axis = configured;
        }
      }),
    );
    return undoAll(undo);
  };
}

function axisToMove(layer: Layer): number | undefined {
  const { axis } = layer as unknown as { axis: number };
  const rank = layer.inputSpec?.[0]?.ndim;
  if (rank == null) return undefined;
  const positive = axis < 0 ? axis + rank : axis;
  return positive === rank - 1 ? undefined : positive;
}
