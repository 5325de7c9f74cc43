import type { Scalar, Tensor, Variable } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import type { Batch, TensorTree } from './batch.js';

export interface ForwardOptions {
  training: boolean;
  /** Makes `output` visible to `onForward` and `transformActivation` under this path; returns what to continue with. */
  tap<Output extends Tensor>(path: string, output: Output): Output;
}

/**
 * Reports numbers of the batch as metrics: `log({ kl })` becomes `train/kl`, and `val/kl` in validation. Scalars are
 * averaged on the device and read when somebody needs them.
 */
export type LogValues = (values: Readonly<Record<string, number | Scalar>>) => void;

/** What a loss is given beside outputs and targets. */
export interface LossContext<Inputs extends TensorTree = TensorTree> {
  /** The inputs of the batch. */
  readonly inputs: Inputs;
  readonly log: LogValues;
}

/** What a module works with in its own `trainingStep`. */
export interface TrainingStep {
  /**
   * Computes the loss on the gradient tape and moves the parameters of the optimizer with this name to make it smaller;
   * no other parameter moves. Tensors made in `loss` are disposed. The result is the loss; it lives until the end of
   * the step. Updates run one after the other: await each.
   */
  readonly update: (optimizer: string, loss: (forward: ForwardOptions) => Scalar) => Promise<Scalar>;
  /** What is logged is disposed at the end of the step. */
  readonly log: LogValues;
}

/**
 * A model built from raw ops, from models of tfjs-layers, or from both: what the trainer needs to train it.
 *
 * @example
 * const line: TrainableModule<{ xs: tf.Tensor2D; ys: tf.Tensor2D }, tf.Tensor2D> = { ... };
 */
export interface TrainableModule<Data extends Batch = Batch, Outputs extends TensorTree = TensorTree> {
  /** Trainable variables by path, the same paths in every process. */
  parameters?(): Record<string, Variable>;
  /** Values that are saved but not trained, by path. */
  buffers?(): Record<string, Variable>;
  /**
   * Models of tfjs-layers (`tf.sequential`, `tf.model`) that `forward` uses, by path. Their weights are trained and saved
   * with the rest, their penalties are added to the loss, and hooks see their layers.
   */
  parts?(): Record<string, LayersModel>;
  forward(xs: Data['xs'], options: ForwardOptions): Outputs;
  /** The loss of a batch; without it the trainer's `loss` is applied to the outputs. */
  loss?(outputs: Outputs, batch: Data, context: LossContext<Data['xs']>): Scalar;
  /** Trains on a batch in its own way, with several losses and updates. Returns the loss to report as `train/loss`. */
  trainingStep?(batch: Data, step: TrainingStep): Promise<Scalar>;
}
