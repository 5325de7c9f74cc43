import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { bareLoop, LEARNING_RATE } from './bare-loop.js';
import type { Benchmark, Row } from './benchmark.js';
import { spreadOf } from './statistics.js';
import { createBatches, MLP, TINY, type Workload } from './workloads.js';

/**
 * What a step holds at its height, model and optimizer included, against the bare loop. With sgd that is in the
 * backward pass, with adam in the update.
 */
export const peakMemory: Benchmark = async () => {
  const rows: Row[] = [];
  for (const workload of [TINY, MLP]) {
    for (const name of ['sgd', 'adam'] as const) {
      // Each has a model of its own, counted from before it was made.
      const trainer = await peakOf(workload, (batches) => trainerLoop(workload, name, batches));
      const bare = await peakOf(workload, async (batches) =>
        bareLoop(workload, batches, tf.train[name](LEARNING_RATE)),
      );
      const what = `${workload.name} with ${name}: peak of a step, trainer without hooks / bare loop`;
      rows.push(row(`${what}, tensors`, trainer.tensors, bare.tensors));
      rows.push(row(`${what}, bytes`, trainer.bytes, bare.bytes));
    }
  }
  return rows;
};

async function trainerLoop(
  { createModel, loss }: Workload,
  name: 'sgd' | 'adam',
  train: Batches,
): Promise<() => Promise<void>> {
  const trainer = await new Trainer({
    model: createModel,
    loss,
    optimizer: { name, lr: LEARNING_RATE },
    discover: false,
    runsDir: false,
    backend: 'cpu',
    logger: createLogger({ level: 'warn' }),
  }).ready();
  return async () => void (await trainer.fit({ train, epochs: 1 }));
}

function row(what: string, trainer: number, bare: number): Row {
  return { what, ratio: spreadOf([trainer / bare]), budget: 1.02, note: `${trainer} / ${bare}` };
}

interface Peak {
  tensors: number;
  bytes: number;
}

type Batches = ReturnType<typeof createBatches>;

async function peakOf(
  workload: Workload,
  make: (batches: Batches) => Promise<() => void | Promise<void>>,
): Promise<Peak> {
  await tf.setBackend('cpu');
  const batches = createBatches(workload, 3);
  const before = tf.memory();
  const train = await make(batches);
  await train(); // the optimizer has its state
  const peak = await watchPeak(train);
  tf.dispose(batches.map(({ xs, ys }) => [xs, ys]));
  return { tensors: peak.tensors - before.numTensors, bytes: peak.bytes - before.numBytes };
}

interface Engine {
  state: { numTensors: number; numBytes: number };
  trackTensor(...args: unknown[]): void;
}

/** The most that there is at once, looked at whenever a tensor is made. */
async function watchPeak(run: () => void | Promise<void>): Promise<Peak> {
  const engine = tf.engine() as unknown as Engine;
  const { trackTensor } = engine;
  const peak: Peak = { tensors: 0, bytes: 0 };
  engine.trackTensor = (...args) => {
    trackTensor.apply(engine, args);
    peak.tensors = Math.max(peak.tensors, engine.state.numTensors);
    peak.bytes = Math.max(peak.bytes, engine.state.numBytes);
  };
  try {
    await run();
  } finally {
    engine.trackTensor = trackTensor;
  }
  return peak;
}
