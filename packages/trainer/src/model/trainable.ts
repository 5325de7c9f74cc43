import type { SampleShapes } from '@hookline/data';
import type { Batch, LogValues, TensorTree, TrainableModule } from '@hookline/hook-api';
import type { Parameter } from '@hookline/optimizers';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import type { LayerStates } from './layer-states.js';

/** What a tapped point of the forward pass hands over; the answer replaces the output. */
export type TapHandler = (point: TapPoint) => Tensor | undefined;

export interface TapPoint {
  path: string;
  inputs: readonly Tensor[];
  output: Tensor;
  training: boolean;
  callIndex: number;
}

/** What a model's own training step works with. */
export interface Updates {
  /** Minimises what `loss` computes, on the tape, by the optimizer of this name. */
  update(optimizer: string, loss: () => Scalar): Promise<Scalar>;
  log: LogValues;
}

/** A model as the loop sees it, whatever it was built with. */
export interface Trainable {
  readonly source: LayersModel | TrainableModule;
  /** Every weight: trainable, frozen and moving averages alike. */
  readonly parameters: readonly Parameter[];
  /** Of these, the ones that a forward pass may change, such as moving averages. */
  readonly buffers: readonly Parameter[];
  /** What layers remember from batch to batch beside that. */
  readonly layerStates: LayerStates;
  /** Those that learn at the moment; layers can be frozen and unfrozen between runs. */
  trained(): readonly Parameter[];
  readonly shapes: SampleShapes | undefined;
  /** Runs inside a tidy or on the tape. */
  forward(xs: TensorTree, training: boolean): TensorTree;
  /** Which steps of these outputs are there, where some are masked; in the order of the outputs. They belong to the caller. */
  masksOf(outputs: TensorTree): readonly (Tensor | undefined)[] | undefined;
  /** Outputs by name, where they have names: losses, metrics and targets can go by them. */
  named(outputs: TensorTree): TensorTree;
  /** What the layers add to the loss, on the tape. */
  regularization(): Scalar[];
  /** A loss of the model's own. */
  readonly loss?: (outputs: TensorTree, batch: Batch, log: LogValues) => Scalar;
  /** Trains on a batch with updates of the model's own. */
  readonly trainingStep?: (batch: Batch, step: Updates) => Promise<Scalar>;
  /** Known paths of layers. The points of a module show when it runs: undefined before. */
  layerPaths(): readonly string[] | undefined;
  /** Installs the handler at every layer that is wanted; returns the remover. */
  tap(wanted: (path: string) => boolean, handler: TapHandler): () => void;
}

/** How many numbers the model has. */
export function sizeOf({ parameters }: Trainable): number {
  return parameters.reduce((sum, { variable }) => sum + variable.size, 0);
}
