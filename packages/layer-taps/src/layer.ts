import type { Tensor } from '@tensorflow/tfjs-core';
import type { layers } from '@tensorflow/tfjs-layers';

export type Layer = layers.Layer;

export type LayerCall = (inputs: Tensor | Tensor[], kwargs: LayerKwargs) => Tensor | Tensor[];

export type LayerKwargs = Parameters<Layer['call']>[1];

/** By shape, so that a layer of another copy of tfjs-layers is one too. */
export function isLayer(value: unknown): value is Layer {
  if (typeof value !== 'object' || value === null) return false;
  const layer = value as Partial<Layer>;
  return (
    typeof layer.call === 'function' &&
    typeof layer.getClassName === 'function' &&
    typeof layer.computeOutputShape === 'function'
  );
}
