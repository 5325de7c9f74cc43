import type { Batch, Hook } from '@hookline/hook-api';
import { createLogger, type Loader, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { LEARNING_RATE } from './bare-loop.js';
import type { Benchmark, Row } from './benchmark.js';
import { createBatches, TINY } from './workloads.js';

/** Tensors that a run of many steps leaves behind, in the run and after it. */
export const tensorGrowth: Benchmark = async ({ quick }) => {
  const steps = quick ? 200 : 5_000;
  return [
    await growthOf('without hooks', [], steps),
    await growthOf('with a hook in every event of a step', [everyEvent()], steps),
  ];
};

async function growthOf(what: string, hooks: Hook[], steps: number): Promise<Row> {
  const trainer = await new Trainer({
    model: TINY.createModel,
    loss: TINY.loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    hooks,
    discover: false,
    runsDir: false,
    backend: 'cpu',
    logger: createLogger({ level: 'warn' }),
  }).ready();
  const counts: number[] = [];
  const [batch] = createBatches(TINY, 1);
  const counting: Loader = {
    name: 'counting',
    batches: steps,
    owned: false,
    *epoch(): Generator<Batch> {
      for (let step = 0; step < steps; step++) {
        counts.push(tf.memory().numTensors);
        yield batch!;
      }
    },
  };
  await trainer.fit({ train: counting, epochs: 1 });
  const after = tf.memory().numTensors;
  await trainer.fit({ train: counting, epochs: 1 });
  // By the tenth batch the optimizer has its state.
  const during = Math.max(...counts.slice(10, steps)) - counts[10]!;
  const growth = Math.max(during, tf.memory().numTensors - after);
  return {
    what: `tensors more after ${steps} steps ${what}`,
    count: growth,
    budget: 0,
    note: `${after} at the end`,
  };
}

function everyEvent(): Hook {
  return {
    name: 'every-event',
    onStepStart() {},
    onTrainBatchStart() {},
    transformBatch: () => undefined,
    onForward() {},
    transformActivation: () => undefined,
    onBeforeBackward() {},
    onAfterBackward() {},
    transformGradients: () => undefined,
    onBeforeOptimizerStep() {},
    onAfterOptimizerStep() {},
    onStepEnd() {},
    onTrainBatchEnd() {},
  };
}
