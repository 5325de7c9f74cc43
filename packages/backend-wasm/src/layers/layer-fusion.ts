import * as tf from '@tensorflow/tfjs-core';
import { canFuseForward } from '../engine/engine-state.js';

/** The parts of a tfjs-layers layer that are used here. */
export interface FusableLayer {
  readonly activation?: { getClassName(): string; apply(x: tf.Tensor): tf.Tensor } | null;
  getClassName(): string;
}

/** A variable of a layer. */
export interface LayerVariable {
  read(): tf.Tensor;
  write(value: tf.Tensor): void;
}

const FUSED: unique symbol = Symbol.for('hookline.backend-wasm.fused');

interface Call {
  (this: FusableLayer, inputs: tf.Tensor | tf.Tensor[], kwargs?: Kwargs): tf.Tensor | tf.Tensor[];
  [FUSED]?: true;
}

export type Kwargs = Readonly<Record<string, unknown>> | null | undefined;

/** How the layers of one class are computed in one operation. */
export interface LayerFusion<Layer extends FusableLayer = never> {
  readonly className: string;
  /** Returns undefined where this layer, or this call, cannot be fused. */
  readonly call: (layer: Layer, x: tf.Tensor, kwargs: Kwargs) => tf.Tensor | undefined;
}

/**
 * Puts the fused call in front of that of the class, which still serves other backends, gradients of gradients and
 * whatever cannot be fused. Returns how to remove it, or undefined where it is already there or tfjs-layers is not
 * loaded.
 */
export function installFusion(fusion: LayerFusion): (() => void) | undefined {
  const prototype = classNamed(fusion.className)?.prototype as { call: Call } | undefined;
  if (!prototype || prototype.call[FUSED]) return undefined;
  const before = Object.getOwnPropertyDescriptor(prototype, 'call');
  const stock = prototype.call;
  const fused = fusion.call as LayerFusion<FusableLayer>['call'];
  const call: Call = function (inputs, kwargs) {
    const x = Array.isArray(inputs) ? inputs[0] : inputs;
    const isPlain =
      x !== undefined && (!Array.isArray(inputs) || inputs.length === 1) && x.dtype === 'float32';
    const result = isPlain && canFuseForward() ? fused(this, x, kwargs) : undefined;
    return result ?? stock.call(this, inputs, kwargs);
  };
  call[FUSED] = true;
  Object.defineProperty(prototype, 'call', { value: call, configurable: true, writable: true });
  return () => {
    if (prototype.call !== call) return;
    if (before) Object.defineProperty(prototype, 'call', before);
    else Reflect.deleteProperty(prototype, 'call');
  };
}

/** tfjs-layers registers its classes with tfjs-core, by name. */
function classNamed(name: string): { prototype: object } | undefined {
  const { classNameMap } = tf.serialization.SerializationMap.getMap();
  return classNameMap[name]?.[0] as { prototype: object } | undefined;
}
