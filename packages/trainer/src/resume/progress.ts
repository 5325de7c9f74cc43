import type { HostTensor, JsonValue, Metrics } from '@hookline/hook-api';
import { decodeJson, encodeJson } from '@hookline/hook-api/helpers';
import { withoutPrefix, withPrefix } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { BatchSums } from '../objective/metrics/batch-sums.js';
import { MetricTotals, type TotalsState } from '../objective/metrics/metric-totals.js';
import type { Objective } from '../objective/objective.js';
import { GradientSum, type SavedGradientSum } from './gradient-sum.js';

/** What a run has added up and not used yet: of the step and of the epoch that are not over. */
export class Progress {
  readonly gradients: GradientSum = new GradientSum();
  readonly epochTotals: MetricTotals;
  readonly stepTotals: MetricTotals;
  /** Batches in an optimizer step, in this epoch. */
  accumulate = 1;
  /** Of the epoch, once all of its batches are behind. */
  training: Metrics = {};
  /** What validation last found, in this epoch. */
  validation: Metrics = {};

  constructor(private readonly objective: Objective) {
    this.epochTotals = new MetricTotals('train');
    this.stepTotals = new MetricTotals('train');
  }

  /** A batch is done; its tensors stay the caller's. */
  add(sums: BatchSums): void {
    this.epochTotals.add(sums);
    if (this.accumulate > 1) this.stepTotals.add(sums);
  }

  /** The epoch is over. */
  clearEpoch(): void {
    this.epochTotals.dispose();
    this.training = {};
    this.validation = {};
  }

  dispose(): void {
    this.gradients.clear();
    this.epochTotals.dispose();
    this.stepTotals.dispose();
  }

  /** As tensors, which stay its own, and JSON. */
  save(): { tensors: Record<string, Tensor>; json: JsonValue } {
    const { state: sum, gradients, counts } = this.gradients.save();
    const epoch = this.epochTotals.save();
    // Those of a step that is done are only there to be read.
    const step = sum.batches > 0 ? this.stepTotals.save() : undefined;
    const { training, validation } = this;
    return {
      tensors: {
        ...withPrefix(gradients, 'gradients/'),
        ...withPrefix(counts, 'counts/'),
        ...withPrefix(epoch.tensors, 'epoch/'),
        ...(step && withPrefix(step.tensors, 'step/')),
      },
      json: encodeJson({
        sum,
        training,
        validation,
        epoch: epoch.state,
        ...(step && { step: step.state }),
      }),
    };
  }

  load(json: JsonValue, tensors: Readonly<Record<string, HostTensor>>): void {
    const { sum, training, validation, epoch, step } = decodeJson(json) as unknown as SavedProgress;
    const { metricsFor } = this.objective;
    this.gradients.load(sum, withoutPrefix(tensors, 'gradients/'), withoutPrefix(tensors, 'counts/'));
    this.epochTotals.load(epoch, withoutPrefix(tensors, 'epoch/'), metricsFor);
    if (step) this.stepTotals.load(step, withoutPrefix(tensors, 'step/'), metricsFor);
    Object.assign(this, { training, validation });
  }
}

export interface SavedProgress {
  /** Of the gradients that are added up. */
  sum: SavedGradientSum;
  training: Metrics;
  validation: Metrics;
  epoch: TotalsState;
  step?: TotalsState;
}
