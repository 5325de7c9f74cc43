import { layerPaths } from '@hookline/layer-taps';
import type { Trainable } from './trainable.js';

/** Layers whose outputs for a sample depend on chance, or on the other samples of the same process. */
const DEPENDENT = /Dropout|GaussianNoise|BatchNormalization/;
/** Options of recurrent layers that do the same. */
const RATES = ['dropout', 'recurrentDropout', 'recurrent_dropout'];

/**
 * Whether a model trains the same in any number of processes, up to rounding: what it computes for a sample is then the
 * same in whichever process it is. Modules are code, and show nothing: they are taken not to.
 */
export function isSameInAnyWorld({ source }: Pick<Trainable, 'source'>): boolean {
  if (!('layers' in source)) return false;
  return [...layerPaths(source)].every(([, layer]) => {
    if (DEPENDENT.test(layer.getClassName())) return false;
    const config = layer.getConfig();
    return RATES.every((name) => !(Number(config[name] ?? 0) > 0));
  });
}
