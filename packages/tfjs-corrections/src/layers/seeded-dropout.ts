import type { Layer } from '@hookline/layer-taps';
import { deriveSeed } from '@hookline/numerics';
import { type Correction, overrideGetter, undoAll } from './override.js';

const DROPOUTS: readonly string[] = ['Dropout', 'SpatialDropout1D'];

/**
 * Stock: a dropout layer with a seed drops the same units in every step. Here each mask follows from that seed and from a
 * number that `Math.random` draws; a trainer makes that reproducible.
 */
export function seededDropout(layers: readonly Layer[]): Correction | undefined {
  const seeded = layers.filter(isSeeded);
  if (seeded.length === 0) return undefined;
  return (training) => {
    if (!training) return () => {};
    // A getter: a layer that is used twice in a forward pass drops different units.
    return undoAll(
      seeded.map((layer) => {
        const { seed } = layer;
        return overrideGetter(layer, 'seed', () => deriveSeed(Math.floor(Math.random() * 2 ** 32), seed));
      }),
    );
  };
}

function isSeeded(layer: Layer): layer is Layer & { seed: number } {
  return DROPOUTS.includes(layer.getClassName()) && 'seed' in layer && typeof layer.seed === 'number';
}
