import type { Hook } from '@hookline/hook-api';
import {
  collectingLogger,
  type Recorder,
  recorder,
  regression,
  regressor,
  weightsOf,
} from '@hookline/test-support';
import type { FitResult, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const WATCHED = [
  'onEpochStart',
  'onStepStart',
  'onTrainBatchStart',
  'onStepEnd',
  'onTrainBatchEnd',
  'onValidationStart',
  'onEpochEnd',
  'onTrainEnd',
];

interface WatchedFit {
  seen: Recorder;
  logger: ReturnType<typeof collectingLogger>;
  result: FitResult;
  weights: ReturnType<typeof weightsOf>;
}

/** Up to 3 epochs of 4 batches, with validation: what a hook does to them, event by event. */
export async function watchedFit(hook: Hook, options: Partial<TrainerOptions> = {}): Promise<WatchedFit> {
  const seen = recorder('recorder', WATCHED);
  const logger = collectingLogger();
  const model = regressor();
  const trainer = quietTrainer({ model, hooks: [hook, seen], logger, ...options });
  const data = regression(16);
  const result = await trainer.fit({
    train: data,
    validation: data,
    epochs: 3,
    batchSize: 4,
    shuffle: false,
  });
  return { seen, logger, result, weights: weightsOf(model) };
}
