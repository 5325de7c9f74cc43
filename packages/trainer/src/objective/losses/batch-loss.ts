import type { Batch, LogValues, LossContext, TensorTree } from '@hookline/hook-api';
import { activeAccelerator, isTensor } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { type Count, type CountedMean, sumOfCounts } from '../count.js';
import { judgesTargets } from './check-targets.js';
import { countedWhere } from './counted-where.js';
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
import { aligned, type OutputAndTarget, type OutputMasks, outputsAndTargets } from './outputs-and-targets.js';
import { latestFor } from './per-output.js';
import { weightsByClass } from './target-settings.js';

/** What a batch lost: scalars, on the tape where there is one. */
export interface BatchLosses {
  /** What is minimised: the losses of all outputs, each times its weight. */
  total: tf.Scalar;
  /** What it is the mean of: samples, or steps that are not masked; of all outputs together. */
  count: Count;
  /** Of each output, with the weights of samples and classes and without its own. Empty when there is one output. */
  outputs: Readonly<Record<string, CountedMean>>;
}

export interface BatchLoss {
  /** Whether there is something to be checked about targets. */
  readonly judgesTargets: boolean;
  /** The losses of outputs with these names; throws when an output has none, or a setting no output. */
  forOutputs(names: readonly string[]): readonly OutputLoss[];
  of(outputs: TensorTree, batch: Batch, around?: AroundLoss): BatchLosses;
}

/** What there is beside the outputs and the batch. */
export interface AroundLoss {
  masks?: OutputMasks;
  log?: LogValues;
}

export function batchLoss(option: LossOption, settings: LossSettings = {}): BatchLoss {
  checkLossOptions(option, settings);
  const forOutputs = latestFor((names) => lossesFor(names, option, settings));
  return {
    judgesTargets: judgesTargets(allOf(option)),
    forOutputs,
    of: (outputs, { xs, ys, weights }, { masks, log = () => {} } = {}) => {
      if (ys === undefined) {
        throw trainerError(
          'BAD_BATCH',
          'The batch has no targets (ys), but the loss needs them. Give { xs, ys }, or a module with its own loss().',
        );
      }
      const pairs = outputsAndTargets(outputs, { ys, weights }, masks);
      const context: LossContext = { inputs: xs, log };
      const losses = forOutputs(pairs.map(({ name }) => name));
      const each = pairs.map((pair, index) =>
        lossOfOutput(losses[index]!, { ...pair, target: aligned(pair.target, pair.output) }, context),
      );
      return {
        total: each
          .map(({ mean }, index) => weighted(mean, losses[index]!.weight))
          .reduce((total, loss) => tf.add(total, loss)),
        count: sumOfCounts(each.map(({ count }) => count)),
        outputs:
          each.length === 1 ? {} : Object.fromEntries(losses.map(({ name }, index) => [name, each[index]!])),
      };
    },
  };
}

function lossOfOutput(
  { name, targetsFor, loss, denseName, classWeights, ignoreLabel }: OutputLoss,
  { output, weights, ...pair }: OutputAndTarget,
  context: LossContext,
): CountedMean {
  const counted = countedWhere(pair, ignoreLabel);
  // Ignored labels are of no class: any class will do, as their losses do not count.
  const target = ignoreLabel === undefined ? pair.target : knownLabels(pair.target, ignoreLabel);
  const targets = targetsFor(target, output);
  if (denseName && !weights && !classWeights && !counted) {
    const mean = activeAccelerator()?.loss(denseName, targets, output);
    if (mean) return { mean, count: rowsOf(output) };
  }
  const losses: unknown = callLoss(loss, targets, output, context);
  if (!isTensor(losses)) {
    throw trainerError(
      'BAD_LOSS',
      `The loss function of output "${name}" returned ${losses === null ? 'null' : typeof losses}, expected a tensor with a number for each sample.`,
    );
  }
  const byClass = classWeights && weightsByClass(target, output, classWeights, denseName);
  return {
    mean: meanOver(losses, { weights, counted, classWeights: byClass }),
    count: counted ? tf.mul<tf.Scalar>(tf.sum(counted), rowsOf(output) / counted.size) : rowsOf(output),
  };
}

/** Samples, or the steps of all samples. */
function rowsOf({ size, rank, shape }: tf.Tensor): number {
  return rank > 1 ? size / shape.at(-1)! : size;
}

function knownLabels(targets: tf.Tensor, ignoreLabel: number): tf.Tensor {
  return tf.where(tf.notEqual(targets, ignoreLabel), targets, tf.zerosLike(targets));
}

function weighted(loss: tf.Scalar, weight: number): tf.Scalar {
  return weight === 1 ? loss : tf.mul<tf.Scalar>(loss, weight);
}
