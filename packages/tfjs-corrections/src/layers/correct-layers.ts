import type { LayersModel } from '@tensorflow/tfjs-layers';
import { batchNormAxis } from './batch-norm-axis.js';
import { dilatedConv } from './dilated-conv.js';
import { frozenBatchNorm } from './frozen-batch-norm.js';
import { layersOf } from './layers-of.js';
import { masks } from './masks.js';
import { type TakeMasks, undoAll } from './override.js';
import { plainBatchNorm } from './plain-batch-norm.js';
import { rnnDropout } from './rnn-dropout.js';
import { seededDropout } from './seeded-dropout.js';
import { statefulRnn } from './stateful-rnn.js';

/**
 * Runs a synchronous forward pass of the model with its layers corrected. `takeMasks` is called after it with the masks of
 * the model's outputs, if masks can reach them.
 */
export type CorrectedPass = <Result>(
  training: boolean,
  forward: () => Result,
  takeMasks?: TakeMasks,
) => Result;

/**
 * Corrects what stock tfjs gets wrong in the layers of this model. Corrections apply during a forward pass and are removed
 * afterwards, so saving the model or running it elsewhere is not affected. A model that needs none costs nothing.
 */
export function correctLayers(model: LayersModel): CorrectedPass {
  const layers = layersOf(model);
  const corrections = [
    batchNormAxis(layers),
    dilatedConv(layers),
    frozenBatchNorm(layers),
    masks(model, layers),
    plainBatchNorm(layers),
    rnnDropout(layers),
    seededDropout(layers),
    statefulRnn(layers),
  ].filter((correction) => correction !== undefined);
  if (corrections.length === 0) return (_training, forward) => forward();
  return (training, forward, takeMasks) => {
    const undo: (() => void)[] = [];
    try {
      for (const correct of corrections) undo.push(correct(training, takeMasks));
      return forward();
    } finally {
      undoAll(undo)();
    }
  };
}
