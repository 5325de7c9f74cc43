import type { Stage, TrainingState } from '@hookline/hook-api';
import type { Optimizer } from '@hookline/optimizers';
import { sizeOf, type Trainable } from '../model/trainable.js';
import type { Mutable } from '../resume/resumable.js';

interface StateParts {
  readonly stage: Stage;
  readonly trainable: Trainable;
  readonly optimizers: readonly Optimizer[];
  readonly backend: { readonly name: string; readonly device: 'cpu' | 'gpu' };
}

/** What hooks read as `ctx.state` before anything has happened; the loop writes it from then on. */
export function initialState({ stage, trainable, optimizers, backend }: StateParts): Mutable<TrainingState> {
  return {
    model: trainable.source,
    parameters: Object.freeze(
      Object.fromEntries(trainable.parameters.map(({ path, variable }) => [path, variable])),
    ),
    optimizers: Object.freeze(optimizers.map(({ view }) => view)),
    stage,
    status: 'starting',
    backend: backend.name,
    device: backend.device,
    epoch: 0,
    completedEpochs: 0,
    step: 0,
    batchIndex: 0,
    latestLoss: Number.NaN,
    avgLoss: Number.NaN,
    modelParams: sizeOf(trainable),
    elapsedSeconds: 0,
  };
}
