import type { Layer } from '@hookline/layer-taps';
import { innerModels, layersOf } from './layers-of.js';
import { type Correction, overrideMethod, undoAll } from './override.js';

/**
 * Stock: a batch normalisation with `trainable = false` keeps its gamma and beta, but still normalises with the
 * statistics of the batch and still moves its averages, so a frozen model changes. Here, as in Keras since TF 2, a frozen
 * one works as in inference: it uses the moving averages and does not change them. A frozen model freezes everything
 * inside it, which tfjs does not record in the layers.
 */
export function frozenBatchNorm(layers: readonly Layer[]): Correction | undefined {
  const models = innerModels(layers).map((model) => ({ model, inner: new Set(layersOf(model)) }));
  const batchNorms = layers
    .filter((layer) => layer.getClassName() === 'BatchNormalization')
    .map((layer) => ({
      layer,
      around: models.filter(({ inner }) => inner.has(layer)).map(({ model }) => model),
    }));
  if (batchNorms.length === 0) return undefined;
  return (training) => {
    if (!training) return () => {};
    // Looked up at each pass: layers can be frozen and unfrozen during a run.
    const undo = batchNorms
      .filter(({ layer, around }) => [layer, ...around].some(({ trainable }) => !trainable))
      .map(({ layer }) =>
        overrideMethod(
          layer,
          'call',
          (call) => (inputs, kwargs) => call(inputs, { ...kwargs, training: false }),
        ),
      );
    return undoAll(undo);
  };
}
