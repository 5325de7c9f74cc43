import type { HookLogger } from '@hookline/hook-api';
import type { Optimizer } from '@hookline/optimizers';
import { createOptimizers, createSchedule, LrSchedule } from '@hookline/optimizers';
import { registerGradients } from '@hookline/tfjs-corrections';
import { type BackendChoice, selectBackend } from './backends/select-backend.js';
import { trainerError } from './errors.js';
import type { Objective } from './loop/forward-backward.js';
import { buildModel } from './model/build-model.js';
import type { Trainable } from './model/trainable.js';
import { type BatchLoss, batchLoss } from './objective/losses/batch-loss.js';
import { seriesOf } from './objective/metrics/batch-sums.js';
import { type MetricsFor, outputMetrics } from './objective/metrics/output-metrics.js';
import type { TrainerOptions } from './options.js';
import { RandomState } from './run/random.js';
import { loadStrategy, type Strategy } from './run/strategy.js';

/** What every run of a trainer shares. */
export interface Prepared {
  readonly backend: BackendChoice;
  readonly random: RandomState;
  readonly trainable: Trainable;
  readonly optimizers: readonly Optimizer[];
  readonly schedule: LrSchedule | undefined;
  readonly objective: Objective;
  /** Whether data is refused that would make the loss no number. */
  readonly checkData: boolean;
  readonly strategy: Strategy | undefined;
}

/** Backend first, then the model, so that a factory builds on it. */
export async function prepare(
  options: TrainerOptions,
  seed: number,
  root: string,
  logger: HookLogger,
): Promise<Prepared> {
  const backend = await selectBackend({ backend: options.backend, root });
  logger.info(
    { backend: backend.name, device: backend.device },
    `Computing with ${backend.name}: ${backend.reason}.`,
  );
  registerGradients();
  // What can be wrong in the options alone shows before the model is built.
  const loss = options.loss && batchLoss(options.loss, options);
  const metricsFor = outputMetrics(options.metrics);
  const segments = options.schedule && createSchedule(options.schedule);
  const random = new RandomState(seed);
  const trainable = await buildModel(options.model, random);
  if (!loss && !trainable.loss) {
    throw trainerError(
      'BAD_LOSS',
      "new Trainer() needs a loss, such as 'meanSquaredError', or a module with its own loss().",
    );
  }
  const optimizers = createOptimizers(options.optimizer ?? 'adam', trainable.parameters, trainable.trained());
  return {
    backend,
    random,
    trainable,
    optimizers,
    schedule:
      segments &&
      new LrSchedule(
        segments,
        optimizers.map(({ view }) => view),
      ),
    objective: objectiveOf(trainable, loss, metricsFor),
    // Who says what to do with such a loss expects to get there.
    checkData: options.nonFiniteLoss === undefined,
    strategy: await loadStrategy(options.strategy ?? 'simple', root),
  };
}

/** Names of outputs are checked here, where the model knows them; else with the first batch. */
function objectiveOf(trainable: Trainable, loss: BatchLoss | undefined, metricsFor: MetricsFor): Objective {
  const names = trainable.shapes?.outputs.map(({ name }) => name);
  if (!names) return { loss, metricsFor, metrics: [] };
  const losses = trainable.loss ? undefined : loss?.forOutputs(names);
  const severalLosses = losses && names.length > 1 ? names : [];
  return { loss, metricsFor, metrics: seriesOf(severalLosses, metricsFor(names)) };
}
