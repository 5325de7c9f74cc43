import type { Optimizer, Parameter } from '@hookline/optimizers';
import type { Trainable } from './trainable.js';

/** The parameters that need a gradient: those of layers that are not frozen, in a group that is not frozen. */
export function learningParameters(
  trainable: Trainable,
  optimizers: readonly Optimizer[],
): readonly Parameter[] {
  const moved = new Set(optimizers.flatMap(({ parameters }) => parameters.map(({ path }) => path)));
  return trainable.trained().filter(({ path }) => moved.has(path));
}
