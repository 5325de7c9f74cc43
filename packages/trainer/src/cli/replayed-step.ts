import type { HostTensor, JsonValue, TrainableModule } from '@hookline/hook-api';
import { fromHost, type RandomWords } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { wholeLoss } from '../loop/forward-backward.js';
import { buildModel, type ModelOption } from '../model/build-model.js';
import type { Trainable } from '../model/trainable.js';
import type { BatchLoss } from '../objective/losses/batch-loss.js';
import { RandomState } from '../run/random.js';

/** What the debug hook needs to run a step as the loop does. */
export interface ReplayedStep {
  model: TrainableModule;
  /** Runs the pass with the random numbers and the states of layers that the run had. */
  within<Result>(saved: SavedMoment, pass: () => Result): Result;
}

interface SavedMoment {
  random: JsonValue;
  states: ReadonlyMap<string, HostTensor>;
}

/** The model as the loop runs it: layers put right, and what they add to the loss added. */
export async function replayedStep(option: ModelOption, loss: BatchLoss | undefined): Promise<ReplayedStep> {
  const random = new RandomState(0);
  const trainable = await buildModel(option, random);
  return {
    model: moduleOf(trainable, loss),
    within: ({ random: words, states }, pass) => {
      const tensors = Object.fromEntries([...states].map(([path, state]) => [path, fromHost(state)]));
      trainable.layerStates.write(tensors);
      tf.dispose(tensors);
      random.load(words as RandomWords);
      return random.during(pass);
    },
  };
}

function moduleOf(trainable: Trainable, batchLoss: BatchLoss | undefined): TrainableModule {
  const trained = trainable.trained();
  const lossOf: Trainable['loss'] =
    trainable.loss ??
    (batchLoss &&
      ((outputs, batch, log) => {
        const around = { log, masks: trainable.masksOf(outputs) };
        return batchLoss.of(trainable.named(outputs), batch, around).total;
      }));
  return {
    parameters: () => byPath(trained),
    buffers: () => byPath(trainable.parameters.filter((parameter) => !trained.includes(parameter))),
    forward: (xs, { training, tap }) => {
      const untap = trainable.tap(
        () => true,
        ({ path, output }) => {
          tap(path, output);
          return undefined;
        },
      );
      try {
        return trainable.forward(xs, training);
      } finally {
        untap();
      }
    },
    ...(lossOf && {
      loss: (outputs, batch, { log }) => wholeLoss(trainable, outputs, lossOf(outputs, batch, log)),
    }),
  };
}

function byPath(parameters: readonly Parameter[]): Record<string, tf.Variable> {
  return Object.fromEntries(parameters.map(({ path, variable }) => [path, variable]));
}
