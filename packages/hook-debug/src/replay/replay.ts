import type { Batch, HostTensor, JsonValue, TensorTree } from '@hookline/hook-api';
import { fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { batchItems, joinBatch } from '../bundle/batch-items.js';
import { type Bundle, readBundle } from '../bundle/read-bundle.js';
import { HeldWeights } from '../check/held-weights.js';
import { nonFiniteAmong } from '../check/non-finite-values.js';
import { debugError } from '../errors.js';
import { HeldOutputs } from './held-outputs.js';
import { LayerRanges } from './layer-ranges.js';
import { loadWeights, trainedOf, weightsOf } from './load-weights.js';
import { type ReplayReport, replayReport } from './replay-report.js';
import { isModule, type Model, onTape, tappedForward } from './tapped-forward.js';

export interface ReplayOptions {
  /** The model that was trained, or a function that makes it. It is given the weights of the bundle. */
  model: Model | (() => Model | Promise<Model>);
  /**
   * The loss of the batch as one number, like the `loss` of a module. With it, or with a module that has one, the
   * backward pass is run too.
   */
  loss?(outputs: TensorTree, batch: Batch): tf.Tensor;
  /**
   * Runs the pass with the random numbers and layer states of the run, as the command does. Without it, layers that
   * draw random numbers draw different ones.
   */
  within?<Result>(saved: SavedMoment, pass: () => Result): Result;
}

/** What a forward pass starts from beside the weights. */
export interface SavedMoment {
  /** As the trainer saved it. */
  readonly random: JsonValue;
  readonly states: ReadonlyMap<string, HostTensor>;
}

/** Runs the step of a bundle again, layer by layer, and reports where the first NaN or infinity appears. */
export async function replay(folder: string, options: ReplayOptions): Promise<ReplayReport> {
  const bundle = await readBundle(folder);
  const model = typeof options.model === 'function' ? await options.model() : options.model;
  const weights = weightsOf(model);
  loadWeights(weights, bundle.model);
  const batch = batchOf(bundle);
  const held = new HeldWeights(weights);
  const outputs = new HeldOutputs();
  try {
    const pass = () => runPass(model, batch, options, outputs);
    const { random } = bundle.description.state;
    const saved = { random: random ? [...random] : null, states: bundle.states };
    const { loss, gradients } = await readPass(model, options.within ? options.within(saved, pass) : pass());
    const ranges = new LayerRanges();
    for await (const output of outputs.read()) ranges.add(output);
    return replayReport({
      original: bundle.description.finding,
      originalLoss: numberOf(bundle.description.loss),
      isExact: options.within !== undefined,
      batch: await nonFiniteAmong(batchItems(batch)),
      weights: await nonFiniteAmong(held.values()),
      layers: ranges.all(),
      firstBadLayer: ranges.firstBad,
      loss,
      gradients,
    });
  } finally {
    // A pass changes moving averages; the model keeps the weights of the bundle.
    held.putBack();
    held.release();
    outputs.release();
    tf.dispose(batchItems(batch).map(([, tensor]) => tensor));
  }
}

function batchOf({ description, batch }: Bundle): Batch {
  const missing = description.leftOut;
  if (missing.length > 0) {
    throw debugError(
      'BUNDLE_MISMATCH',
      `The bundle does not hold the whole batch: ${missing.join(', ')} could not be saved, because files hold numbers only.`,
    );
  }
  return joinBatch(description.batch, (name) => fromHost(batch.get(name)!));
}

/** Numbers that JSON cannot hold are text. */
function numberOf(value: number | string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

type PassResult = ReturnType<typeof tf.variableGrads> | undefined;

/** Forward and, where the loss is known, backward; synchronous, as it is in training. */
function runPass(model: Model, batch: Batch, options: ReplayOptions, outputs: HeldOutputs): PassResult {
  const forward = () => tappedForward(model, batch.xs, (...output) => outputs.add(...output));
  const lossOf = options.loss ?? ownLossOf(model);
  if (!lossOf) {
    onTape(forward);
    return undefined;
  }
  return tf.variableGrads(() => tf.mean<tf.Scalar>(lossOf(forward(), batch)), trainedOf(model));
}

/** What a module logs is of no interest here. */
function ownLossOf(model: Model): ReplayOptions['loss'] {
  if (!isModule(model) || !model.loss) return undefined;
  return (outputs, batch) => model.loss!(outputs, batch, { inputs: batch.xs, log: () => {} });
}

async function readPass(model: Model, result: PassResult): Promise<Pick<ReplayReport, 'loss' | 'gradients'>> {
  if (!result) return { loss: undefined, gradients: undefined };
  const { value, grads } = result;
  const paths = new Map(Object.entries(weightsOf(model)).map(([path, { name }]) => [name, path]));
  try {
    const [loss] = await value.data();
    const byPath = Object.entries(grads).map(([name, gradient]) => [paths.get(name)!, gradient] as const);
    return { loss: loss!, gradients: await nonFiniteAmong(byPath) };
  } finally {
    tf.dispose([value, grads]);
  }
}
