import { workerError } from './errors.js';
import { serve, type TrainingModule } from './worker/serve.js';

export type { Training, TrainingModule } from './worker/serve.js';

/**
 * Says what a worker trains: called at the top of the module that `trainInWorker` starts. The function gets the settings that
 * were passed there. It is returned as it is, so that the same module can train without a worker.
 *
 * @example
 * export default defineTraining(({ epochs }: { epochs: number }) => ({
 *   trainer: new Trainer({ model, loss: 'meanSquaredError' }),
 *   fit: { train, epochs, resume: 'auto' },
 * }));
 */
export function defineTraining<Settings>(make: TrainingModule<Settings>): TrainingModule<Settings> {
  if (typeof make !== 'function') {
    throw workerError('NOT_A_TRAINING', 'defineTraining() expects a function that returns { trainer, fit }.');
  }
  serve(make);
  return make;
}
