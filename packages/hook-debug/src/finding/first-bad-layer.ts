import type { TensorTree, TrainingState } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { buffersOf, HeldWeights } from '../check/held-weights.js';
import { countNonFinite } from '../check/non-finite-values.js';
import { onTape, tappedForward } from '../replay/tapped-forward.js';
import type { LayerOutput } from './finding.js';

/**
 * Runs the inputs through the model again, with every layer tapped, and returns the first layer whose output is not
 * finite, or why that was not possible. The run continues as if this pass had not happened: buffers are put back, and
 * no random numbers are drawn from the run's.
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
        // Reads the device once for each layer up to the bad one: the run has failed, so nobody waits for it.
        const output = countNonFinite(path, tensor.dataSync(), tensor.shape);
        if (output) layer = { path, callIndex, output };
      });
    });
    return { layer, problem: undefined };
  } catch (error) {
    // A layer that was found before the pass failed still counts.
    return { layer, problem: layer ? undefined : messageOf(error) };
  } finally {
    buffers.putBack();
    buffers.release();
  }
}
