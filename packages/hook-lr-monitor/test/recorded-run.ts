import type { Hook, HookEvents, TrainableModule } from '@hookline/hook-api';
import { collectingLogger, TEST_BACKEND } from '@hookline/test-support';
import { Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';

export interface RecordedRun {
  trainer: Trainer;
  /** What loggers received, boundary by boundary. */
  logs: HookEvents['onLog'][];
  /** How far each weight moved in each step. */
  moved: Record<string, number[]>;
  fit(options: { steps: number; epochs?: number; validation?: boolean; resume?: string }): Promise<unknown>;
}

/**
 * A real run of two weights whose gradient is 1 in every step: with sgd a weight moves by exactly the rate that
 * was used.
 */
export function recordedRun(hooks: Hook[], options: Partial<TrainerOptions> = {}): RecordedRun {
  const logs: HookEvents['onLog'][] = [];
  const moved: Record<string, number[]> = { 'a/w': [], 'b/w': [] };
  const parameters = { 'a/w': tf.variable(tf.scalar(0)), 'b/w': tf.variable(tf.scalar(0)) };
  const last: Record<string, number> = { 'a/w': 0, 'b/w': 0 };
  const model: TrainableModule = {
    parameters: () => parameters,
    forward: () => tf.add(parameters['a/w'], parameters['b/w']),
    loss: (outputs) => tf.sum(outputs as tf.Tensor),
  };
  const recorder: Hook = {
    name: 'recorder',
    onLog: (_ctx, event) => void logs.push(event),
    onTrainBatchEnd: () => {
      for (const [path, variable] of Object.entries(parameters)) {
        const value = variable.dataSync()[0]!;
        moved[path]!.push(last[path]! - value);
        last[path] = value;
      }
    },
  };
  const trainer = new Trainer({
    model,
    optimizer: { name: 'sgd', lr: 0.5 },
    hooks: [recorder, ...hooks],
    discover: false,
    backend: TEST_BACKEND,
    runsDir: false,
    seed: 1,
    logger: collectingLogger(),
    ...options,
  });
  return {
    trainer,
    logs,
    moved,
    fit: ({ steps, epochs = 1, validation = false, resume }) => {
      const xs = tf.zeros([steps, 1]);
      return trainer.fit({
        ...{ train: { xs }, epochs, batchSize: 1 },
        ...(validation && { validation: { xs } }),
        ...(resume !== undefined && { resume }),
      });
    },
  };
}
