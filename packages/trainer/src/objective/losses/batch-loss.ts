import type { Batch, LogValues, LossContext, TensorTree } from '@hookline/hook-api';
import { activeAccelerator, isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { judgesTargets } from './check-targets.js';
import { callLoss } from './loss-with-inputs.js';
import { meanOver } from './mean-over.js';
import {
  allOf,
  checkLossOptions,
  type LossOption,
  type LossSettings,
  lossesFor,
  type OutputLoss,
} from './output-losses.js';
import { aligned, outputsAndTargets } from './outputs-and-targets.js';
import { latestFor } from './per-output.js';
import { weightsByClass } from './target-settings.js';

/** What a batch lost: scalars, on the tape where there is one. */
export interface BatchLosses {
  /** What is minimised: the losses of all outputs, each times its weight. */
  total: tf.Scalar;
  /** Of each output, with the weights of samples and classes and without its own. Empty when there is one output. */
  outputs: Readonly<Record<string, tf.Scalar>>;
}

export interface BatchLoss {
  /** Whether there is something to be checked about targets. */
  readonly judgesTargets: boolean;
  /** The losses of outputs with these names; throws when an output has none, or a setting no output. */
  forOutputs(names: readonly string[]): readonly OutputLoss[];
  of(outputs: TensorTree, batch: Batch, log?: LogValues): BatchLosses;
}

export function batchLoss(option: LossOption, settings: LossSettings = {}): BatchLoss {
  checkLossOptions(option, settings);
  const forOutputs = latestFor((names) => lossesFor(names, option, settings));
  return {
    judgesTargets: judgesTargets(allOf(option)),
    forOutputs,
    of: (outputs, { xs, ys, weights }, log = () => {}) => {
      if (ys === undefined) {
        throw trainerError(
          'BAD_BATCH',
          'The batch has no targets (ys), but the loss needs them. Give { xs, ys }, or a module with its own loss().',
        );
      }
      const pairs = outputsAndTargets(outputs, ys);
      const context: LossContext = { inputs: xs, log };
      const losses = forOutputs(pairs.map(({ name }) => name));
      const each = pairs.map(({ output, target }, index) =>
        lossOfOutput(losses[index]!, output, aligned(target, output), weights, context),
      );
      return {
        total: each
          .map((loss, index) => weighted(loss, losses[index]!.weight))
          .reduce((total, loss) => tf.add(total, loss)),
        outputs:
          each.length === 1 ? {} : Object.fromEntries(losses.map(({ name }, index) => [name, each[index]!])),
      };
    },
  };
}

function lossOfOutput(
  { name, targetsFor, loss, denseName, classWeights }: OutputLoss,
  output: tf.Tensor,
  target: tf.Tensor,
  weights: tf.Tensor | undefined,
  context: LossContext,
): tf.Scalar {
  const targets = targetsFor(target, output);
  if (denseName && !weights && !classWeights) {
    const mean = activeAccelerator()?.loss(denseName, targets, output);
    if (mean) return mean;
  }
  const losses: unknown = callLoss(loss, targets, output, context);
  if (!isTensor(losses)) {
    throw trainerError(
      'BAD_LOSS',
      `The loss function of output "${name}" returned ${losses === null ? 'null' : typeof losses}, expected a tensor with a number for each sample.`,
    );
  }
  return meanOver(losses, weights, classWeights && weightsByClass(target, output, classWeights));
}

function weighted(loss: tf.Scalar, weight: number): tf.Scalar {
  return weight === 1 ? loss : tf.mul<tf.Scalar>(loss, weight);
}
