import type { TensorTree, TrainingState } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { LayerOutput } from './finding.js';
import { buffersOf, HeldWeights } from './held-weights.js';
import { countNonFinite } from './non-finite-values.js';
import { onTape, tappedForward } from './tapped-forward.js';

/**
 * Runs the inputs through the model again, with every layer tapped, and returns the first layer whose output is not
 * finite, or why that was not possible. The run goes on as if this pass had not been: buffers are put back, and random
 * numbers are not drawn from the run's.
 */
export function firstBadLayer(
  state: Pick<TrainingState, 'model' | 'parameters'>,
  xs: TensorTree,
): { layer: LayerOutput | undefined; problem: string | undefined } {
  const buffers = new HeldWeights(buffersOf(state));
  let layer: LayerOutput | undefined;
  try {
    onTape(() => {
      tappedForward(state.model, xs, (path, callIndex, tensor) => {
        if (layer) return;
        // One read for each layer up to the bad one: the run has failed, so nobody waits for it.
        const output = countNonFinite(path, tensor.dataSync(), tensor.shape);
        if (output) layer = { path, callIndex, output };
      });
    });
    return { layer, problem: undefined };
  } catch (error) {
    // What was seen before the pass failed was seen.
    return { layer, problem: layer ? undefined : messageOf(error) };
  } finally {
    buffers.putBack();
    buffers.release();
  }
}
