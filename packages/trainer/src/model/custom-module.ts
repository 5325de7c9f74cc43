import type { TrainableModule } from '@hookline/hook-api';
import { tap } from '@hookline/layer-taps';
import type { Parameter } from '@hookline/optimizers';
import type { Variable } from '@tensorflow/tfjs-core';
import { NO_LAYER_STATES } from './layer-states.js';
import type { Trainable } from './trainable.js';

/** Adapts a model built from raw ops. Its tap points show as they run: `tap(path, output)` in its `forward`. */
export function customModule(module: TrainableModule): Trainable {
  const seen = new Set<string>();
  const weights = toParameters(module.parameters?.() ?? {});
  const buffers = toParameters(module.buffers?.() ?? {});
  return {
    source: module,
    parameters: [...weights, ...buffers],
    buffers,
    layerStates: NO_LAYER_STATES,
    trained: () => weights.filter(({ variable }) => variable.trainable),
    shapes: undefined,
    forward: (xs, training) =>
      module.forward(xs, {
        training,
        tap: (path, output) => {
          seen.add(path);
          return output;
        },
      }),
    named: (outputs) => outputs,
    regularization: () => [],
    ...(module.loss && {
      loss: (outputs, batch, log) => module.loss!(outputs, batch, { inputs: batch.xs, log }),
    }),
    layerPaths: () => (seen.size > 0 ? [...seen] : undefined),
    tap: (wanted, handler) => tap(module, wanted, handler, { optional: true }).remove,
  };
}

function toParameters(variables: Record<string, Variable>): Parameter[] {
  return Object.entries(variables).map(([path, variable]) => ({ path, variable }));
}
