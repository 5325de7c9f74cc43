import type { Batch, TensorTree } from '@hookline/hook-api';
import { isTensor } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';

/** A tensor that hooks are shown, and where they find it. */
export interface ShownTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** What an event may show of tensors. */
interface Payload {
  readonly batch?: Batch;
  readonly gradients?: TensorTree;
  readonly loss?: unknown;
  readonly outputs?: TensorTree | undefined;
  /** Of a layer. */
  readonly inputs?: readonly Tensor[];
  readonly output?: Tensor;
}

export function payloadTensors(payload: Payload): ShownTensor[] {
  const { batch, gradients, loss, outputs, inputs = [], output } = payload;
  return [
    ...shownTensors('batch.xs', batch?.xs),
    ...shownTensors('batch.ys', batch?.ys),
    ...shownTensors('batch.weights', batch?.weights),
    ...shownTensors('gradients', gradients),
    ...shownTensors('outputs', outputs),
    ...inputs.map((tensor, index) => ({ name: `inputs[${index}]`, tensor })),
    ...shownTensors('output', output),
    ...(isTensor(loss) ? shownTensors('loss', loss) : []),
  ];
}

/** Each under its own name: `batch.xs`, `gradients["dense/kernel"]`. */
export function shownTensors(name: string, tree: TensorTree | undefined): ShownTensor[] {
  if (tree === undefined) return [];
  if (isTensor(tree)) return [{ name, tensor: tree }];
  return Object.entries(tree).map(([key, tensor]) => ({ name: `${name}[${JSON.stringify(key)}]`, tensor }));
}
