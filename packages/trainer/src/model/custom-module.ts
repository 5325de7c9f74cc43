import type { TrainableModule } from '@hookline/hook-api';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import type { Parameter, Trainable } from './trainable.js';

/** Adapts a model built from raw ops. Its tap points show as they run: `tap(path, output)` in its `forward`. */
export function customModule(module: TrainableModule): Trainable {
  let point: ((path: string, output: Tensor, training: boolean) => Tensor) | undefined;
  const weights = toParameters(module.parameters());
  return {
    source: module,
    parameters: [...weights, ...toParameters(module.buffers?.() ?? {})],
    trained: () => weights.filter(({ variable }) => variable.trainable),
    shapes: undefined,
    forward: (xs, training) =>
      module.forward(xs, {
        training,
        tap: <Output extends Tensor>(path: string, output: Output) =>
          (point?.(path, output, training) as Output | undefined) ?? output,
      }),
    named: (outputs) => outputs,
    regularization: () => [],
    ...(module.loss && { loss: (outputs, batch) => module.loss!(outputs, batch) }),
    layerPaths: () => undefined,
    tap: (wanted, handler) => {
      const mine = (path: string, output: Tensor, training: boolean) =>
        (wanted(path) ? handler({ path, inputs: [], output, training, callIndex: 0 }) : undefined) ?? output;
      point = mine;
      return () => {
        if (point === mine) point = undefined;
      };
    },
  };
}

function toParameters(variables: Record<string, Variable>): Parameter[] {
  return Object.entries(variables).map(([path, variable]) => ({ path, variable }));
}
