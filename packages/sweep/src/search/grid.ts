import type { JsonValue } from '@hookline/hook-api';
import { sweepError } from '../errors.js';
import { bounds, type Dimension, fromScale, type Point, type SearchSpace } from '../space.js';

/** How many points the grid has. */
export function gridSize(space: SearchSpace): number {
  return Object.entries(space).reduce((size, [name, each]) => size * valuesOf(name, each).length, 1);
}

/** The points in the order of nested loops: the last dimension changes fastest. */
export function gridPoint(space: SearchSpace, index: number): Point {
  let rest = index;
  const point: [string, JsonValue][] = [];
  for (const [name, dimension] of Object.entries(space).reverse()) {
    const values = valuesOf(name, dimension);
    point.unshift([name, values[rest % values.length]!]);
    rest = Math.floor(rest / values.length);
  }
  return Object.fromEntries(point);
}

function valuesOf(name: string, dimension: Dimension): readonly JsonValue[] {
  if (dimension.kind === 'choice') return dimension.values;
  const { kind, low, high } = dimension;
  const steps = dimension.steps ?? (kind === 'integer' ? high - low + 1 : undefined);
  if (steps === undefined) {
    throw sweepError(
      'SWEEP_SPACE',
      `A grid needs to know how many values to take from "${name}": ${kind}(${low}, ${high}, { steps: 5 }), or a choice.`,
    );
  }
  // From bound to bound on its scale; for integers those of the values themselves, not half a unit around them.
  const scale = kind === 'integer' ? { low, high } : bounds(dimension);
  const values = Array.from({ length: steps }, (_, i) =>
    fromScale(dimension, scale.low + (i / (steps - 1)) * (scale.high - scale.low)),
  );
  return [...new Set(values)];
}
