import { type Batch, HooklineError, type TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { batchItems, joinBatch } from './batch-items.js';
import { HeldWeights } from './held-weights.js';
import { fromHost } from './host-tensor.js';
import { LayerRanges } from './layer-ranges.js';
import { loadWeights, trainedOf, weightsOf } from './load-weights.js';
import { nonFiniteAmong } from './non-finite-values.js';
import { type Bundle, readBundle } from './read-bundle.js';
import { type ReplayReport, replayReport } from './replay-report.js';
import { isModule, type Model, onTape, tappedForward } from './tapped-forward.js';

export interface ReplayOptions {
  /** The model that was trained, or a function that makes it. It is given the weights of the bundle. */
  model: Model | (() => Model | Promise<Model>);
  /**
   * The loss of the batch, one number, as a module has it. With it, or with a module that has its own, the backward pass
   * is run too.
   */
  loss?(outputs: TensorTree, batch: Batch): tf.Tensor;
}

/** Runs the step of a bundle again, layer by layer, and reports where the first NaN or infinity appears. */
export async function replay(folder: string, options: ReplayOptions): Promise<ReplayReport> {
  const bundle = await readBundle(folder);
  const model = typeof options.model === 'function' ? await options.model() : options.model;
  const weights = weightsOf(model);
  loadWeights(weights, bundle.model);
  const batch = batchOf(bundle);
  const held = new HeldWeights(weights);
  try {
    const ranges = new LayerRanges();
    const { loss, gradients } = await runStep(model, batch, options, ranges);
    return replayReport({
      original: bundle.description.finding,
      batch: await nonFiniteAmong(batchItems(batch)),
      weights: await nonFiniteAmong(held.values()),
      layers: ranges.all(),
      firstBadLayer: ranges.firstBad,
      loss,
      gradients,
    });
  } finally {
    // A pass changes moving averages; the model stays at the moment that the bundle holds.
    held.putBack();
    held.release();
    tf.dispose(batchItems(batch).map(([, tensor]) => tensor));
  }
}

function batchOf({ description, batch }: Bundle): Batch {
  const missing = description.leftOut;
  if (missing.length > 0) {
    throw new HooklineError(
      'BUNDLE_MISMATCH',
      `The bundle does not hold the whole batch: ${missing.join(', ')} could not be kept, because files hold numbers only.`,
    );
  }
  return joinBatch(description.batch, (name) => fromHost(batch.get(name)!));
}

type StepResult = Pick<ReplayReport, 'loss' | 'gradients'>;

async function runStep(
  model: Model,
  batch: Batch,
  options: ReplayOptions,
  ranges: LayerRanges,
): Promise<StepResult> {
  const forward = () => tappedForward(model, batch.xs, (...output) => ranges.add(...output));
  const lossOf = options.loss ?? (isModule(model) ? model.loss?.bind(model) : undefined);
  if (!lossOf) {
    onTape(forward);
    return { loss: undefined, gradients: undefined };
  }
  const { value, grads } = tf.variableGrads(
    () => tf.mean<tf.Scalar>(lossOf(forward(), batch)),
    trainedOf(model),
  );
  const paths = new Map(Object.entries(weightsOf(model)).map(([path, { name }]) => [name, path]));
  try {
    const [loss] = await value.data();
    const byPath = Object.entries(grads).map(([name, gradient]) => [paths.get(name)!, gradient] as const);
    return { loss: loss!, gradients: await nonFiniteAmong(byPath) };
  } finally {
    tf.dispose([value, grads]);
  }
}
