import type { TrainableModule } from '@hookline/hook-api';
import type { Parameter } from '@hookline/optimizers';
import type { Variable } from '@tensorflow/tfjs-core';
import { NO_LAYER_STATES } from './layer-states.js';
import { TapPoints } from './tap-points.js';
import type { Trainable } from './trainable.js';

/** Adapts a model built from raw ops. Its tap points show as they run: `tap(path, output)` in its `forward`. */
export function customModule(module: TrainableModule): Trainable {
  const points = new TapPoints();
  const weights = toParameters(module.parameters?.() ?? {});
  const buffers = toParameters(module.buffers?.() ?? {});
  return {
    source: module,
    parameters: [...weights, ...buffers],
    buffers,
    layerStates: NO_LAYER_STATES,
    trained: () => weights.filter(({ variable }) => variable.trainable),
    shapes: undefined,
    forward: (xs, training) => module.forward(xs, points.pass(training)),
    masksOf: () => undefined,
    named: (outputs) => outputs,
    regularization: () => [],
    ...(module.loss && {
      loss: (outputs, batch, log) => module.loss!(outputs, batch, { inputs: batch.xs, log }),
    }),
    ...(module.trainingStep && {
      trainingStep: (batch, { update, log }) =>
        module.trainingStep!(batch, {
          update: (optimizer, loss) => update(optimizer, () => loss(points.pass(true))),
          log,
        }),
    }),
    layerPaths: () => points.paths,
    tap: (wanted, handler) => points.tap(wanted, handler),
  };
}

function toParameters(variables: Record<string, Variable>): Parameter[] {
  return Object.entries(variables).map(([path, variable]) => ({ path, variable }));
}
