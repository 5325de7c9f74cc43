import type { AfterBackwardEvent, TrainingState } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';
import { batchItems } from './batch-items.js';
import type { Finding, LayerOutput } from './finding.js';
import type { Place, Suspect } from './finite-check.js';
import { firstBadLayer } from './first-bad-layer.js';
import type { HeldWeights } from './held-weights.js';
import { nonFiniteAmong } from './non-finite-values.js';

/**
 * Finds out where it began. Takes its time: it reads the batch, the weights and the bad gradients, and runs the batch
 * again. `before` holds the buffers as they were before the batch.
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
  const { layer, problem } = firstBadLayer(state, batch.xs);
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

/** The layer that was seen to be bad in the failing pass itself; run again, another one may have been the first. */
function tappedLayer(suspects: readonly Suspect[], again: LayerOutput | undefined): LayerOutput | undefined {
  const seen = suspects.find(({ place }) => place === 'activation');
  if (!seen || (seen.path === again?.path && seen.callIndex === again.callIndex)) return undefined;
  return { path: seen.path, callIndex: seen.callIndex, output: undefined };
}
