import type { TensorTree, TrainingState } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { buffersOf, HeldWeights } from '../check/held-weights.js';
import { countNonFinite } from '../check/non-finite-values.js';
import { HeldOutputs } from '../replay/held-outputs.js';
import { onTape, tappedForward } from '../replay/tapped-forward.js';
import type { LayerOutput } from './finding.js';

/**
 * Runs the inputs through the model again, with every layer tapped, and returns the first layer whose output is not
 * finite, or why that was not possible. The run continues as if this pass had not happened: buffers are put back, and
 * no random numbers are drawn from the run's.
 */
export async function firstBadLayer(
  state: Pick<TrainingState, 'model' | 'parameters'>,
  xs: TensorTree,
): Promise<{ layer: LayerOutput | undefined; problem: string | undefined }> {
  const outputs = new HeldOutputs();
  try {
    const problem = runAgain(state, xs, outputs);
    // A layer that was bad before the pass failed still counts.
    const layer = await firstBad(outputs);
    return { layer, problem: layer ? undefined : problem };
  } finally {
    outputs.release();
  }
}

/** Returns why the pass could not be finished. */
function runAgain(
  state: Pick<TrainingState, 'model' | 'parameters'>,
  xs: TensorTree,
  outputs: HeldOutputs,
): string | undefined {
  const buffers = new HeldWeights(buffersOf(state));
  try {
    onTape(() => {
      tappedForward(state.model, xs, (...output) => outputs.add(...output));
    });
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    buffers.putBack();
    buffers.release();
  }
}

async function firstBad(outputs: HeldOutputs): Promise<LayerOutput | undefined> {
  // Reads the device once for each layer up to the bad one: the run has failed, so nobody waits for it.
  for await (const { path, callIndex, shape, values } of outputs.read()) {
    const output = countNonFinite(path, values, shape);
    if (output) return { path, callIndex, output };
  }
  return undefined;
}
