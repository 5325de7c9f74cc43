import type { HostTensor } from '@hookline/hook-api';
import { parameterPaths } from '@hookline/layer-taps';
import { fromHost } from '@hookline/numerics';
import type { Variable } from '@tensorflow/tfjs-core';
import type { Weights } from '../check/held-weights.js';
import { debugError } from '../errors.js';
import { isModule, type Model } from './tapped-forward.js';

/** Every weight of the model by path, as the trainer names them. */
export function weightsOf(model: Model): Weights {
  if (isModule(model)) return { ...model.parameters?.(), ...model.buffers?.() };
  return Object.fromEntries(
    parameterPaths(model).map(({ path, variable }) => [path, variable.read() as Variable]),
  );
}

/** The weights that learn. */
export function trainedOf(model: Model): Variable[] {
  const weights = isModule(model)
    ? Object.values(model.parameters?.() ?? {})
    : model.trainableWeights.map((weight) => weight.read() as Variable);
  return weights.filter(({ trainable }) => trainable);
}

/** Gives the model the saved weights. All must fit, or nothing is changed. */
export function loadWeights(weights: Weights, saved: ReadonlyMap<string, HostTensor>): void {
  const differences = [
    ...[...saved.keys()].filter((path) => !weights[path]).map((path) => `${path}: not in the model`),
    ...Object.entries(weights).flatMap(([path, { shape }]) => {
      const kept = saved.get(path);
      if (!kept) return [`${path}: not in the bundle`];
      return String(kept.shape) === String(shape)
        ? []
        : [`${path}: [${kept.shape}] in the bundle, [${shape}] in the model`];
    }),
  ];
  if (differences.length > 0) {
    throw debugError(
      'BUNDLE_MISMATCH',
      `The bundle belongs to a different model:\n${differences.map((line) => `  - ${line}`).join('\n')}\n` +
        'Replay it with the model that was trained.',
    );
  }
  for (const [path, variable] of Object.entries(weights)) {
    const value = fromHost(saved.get(path)!);
    variable.assign(value);
    value.dispose();
  }
}
