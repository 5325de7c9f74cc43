import type { TrainableModule } from '@hookline/hook-api';
import type { Parameter } from '@hookline/optimizers';
import type { Variable } from '@tensorflow/tfjs-core';
import { moduleParts } from './module-parts.js';
import { TapPoints } from './tap-points.js';
import type { Trainable } from './trainable.js';

/** Adapts a model built from raw ops. Its tap points show as they run: `tap(path, output)` in its `forward`. */
export function customModule(module: TrainableModule): Trainable {
  const points = new TapPoints();
  const parts = moduleParts(module.parts?.() ?? {});
  const weights = toParameters(module.parameters?.() ?? {});
  const buffers = toParameters(module.buffers?.() ?? {});
  return {
    source: module,
    parameters: [...weights, ...parts.parameters, ...buffers],
    buffers: [...buffers, ...parts.buffers],
    layerStates: parts.layerStates,
    trained: () => [...weights.filter(({ variable }) => variable.trainable), ...parts.trained()],
    shapes: undefined,
    forward: (xs, training) => parts.corrected(training, () => module.forward(xs, points.pass(training))),
    masksOf: () => undefined,
    named: (outputs) => outputs,
    regularization: () => parts.regularization(),
    ...(module.loss && {
      loss: (outputs, batch, log) => module.loss!(outputs, batch, { inputs: batch.xs, log }),
    }),
    ...(module.trainingStep && {
      trainingStep: (batch, { update, log }) =>
        module.trainingStep!(batch, {
          update: (optimizer, loss) =>
            update(optimizer, () => parts.corrected(true, () => loss(points.pass(true)))),
          log,
        }),
    }),
    layerPaths: () => points.paths && [...parts.paths, ...points.paths],
    tap: (wanted, handler) => {
      const removers = [points.tap(wanted, handler), parts.tap(wanted, handler)];
      return () => {
        for (const remove of removers) remove();
      };
    },
  };
}

function toParameters(variables: Record<string, Variable>): Parameter[] {
  return Object.entries(variables).map(([path, variable]) => ({ path, variable }));
}
