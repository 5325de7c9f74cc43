import type { AfterBackwardEvent, TrainingState } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';
import { batchItems } from '../bundle/batch-items.js';
import type { Place, Suspect } from '../check/finite-check.js';
import type { HeldWeights } from '../check/held-weights.js';
import { nonFiniteAmong } from '../check/non-finite-values.js';
import type { Finding, LayerOutput } from './finding.js';
import { firstBadLayer } from './first-bad-layer.js';

/**
 * Finds out where it began. Slow, which does not matter any more: it reads the batch, the weights and the bad
 * gradients, and runs the batch again. `before` holds the buffers as they were before the batch.
 */
export async function diagnose(
  state: TrainingState,
  { batch, batchIndex, loaderName, gradients }: AfterBackwardEvent,
  suspects: readonly Suspect[],
  before: HeldWeights,
): Promise<Finding> {
  const among = (place: Place, tensors: Readonly<Record<string, Tensor>>) =>
    nonFiniteAmong(
      suspects.flatMap((each) => (each.place === place ? [[each.path, tensors[each.path]!]] : [])),
    );
  const { layer, problem } = await firstBadLayer(state, batch.xs);
  return {
    step: state.step,
    epoch: state.epoch,
    batchIndex,
    loaderName,
    loss: suspects.find(({ place }) => place === 'loss')?.value,
    batch: await nonFiniteAmong(batchItems(batch)),
    weights: await nonFiniteAmong(
      Object.entries({ ...state.parameters, ...Object.fromEntries(before.values()) }),
    ),
    layer: tappedLayer(suspects, layer) ?? layer,
    buffers: await among('buffer', state.parameters),
    gradients: await among('gradient', gradients),
    layerProblem: problem,
  };
}

/** The layer that was bad in the failing pass itself; when run again, another one may be the first. */
function tappedLayer(suspects: readonly Suspect[], again: LayerOutput | undefined): LayerOutput | undefined {
  const seen = suspects.find(({ place }) => place === 'activation');
  if (!seen || (seen.path === again?.path && seen.callIndex === again.callIndex)) return undefined;
  return { path: seen.path, callIndex: seen.callIndex, output: undefined };
}
