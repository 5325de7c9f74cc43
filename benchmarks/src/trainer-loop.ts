import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { bareLoop, LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { race, ratioOf, type Times } from './paired.js';
import { stopwatch } from './stopwatch.js';
import { createBatches, MLP, TINY, type Workload } from './workloads.js';

export const tinyOnWasm: Benchmark = (settings) =>
  trainerLoop(TINY, 'wasm', { steps: 50, epochSteps: 200, budget: 1.15 }, settings);

export const tinyOnCpu: Benchmark = (settings) =>
  trainerLoop(TINY, 'cpu', { steps: 50, epochSteps: 200, budget: 1.15 }, settings);

export const mlpOnWasm: Benchmark = (settings) =>
  trainerLoop(MLP, 'wasm', { steps: 8, epochSteps: 40, budget: 1.03 }, settings);

interface Size {
  /** In one timed run against the bare loop. */
  steps: number;
  /** In one timed run against `model.fit`. More, because there the whole call is timed. */
  epochSteps: number;
  budget: number;
}

/** The trainer without hooks against a loop written by hand and against `model.fit`. */
async function trainerLoop(
  workload: Workload,
  backend: string,
  { steps, epochSteps, budget }: Size,
  settings: Settings,
): Promise<Row[]> {
  const rounds = roundsFor(settings);
  const loop = await raceBareLoop(await createTrainer(workload, backend), workload, steps, {
    rounds,
    warmUp: 5,
    repeats: 3,
  });
  const epoch = await raceModelFit(await createTrainer(workload, backend), workload, epochSteps, {
    rounds,
    warmUp: 2,
    repeats: 1,
  });
  const what = `${workload.name}, ${backend}: trainer without hooks`;
  return [
    {
      what: `${what} / bare loop`,
      ratio: ratioOf(loop, 'trainer', 'other'),
      budget,
      note: microseconds(loop, steps),
    },
    {
      what: `${what} / model.fit`,
      ratio: ratioOf(epoch, 'trainer', 'other'),
      budget: 1,
      note: microseconds(epoch, epochSteps),
    },
  ];
}

/** When it is ready, the backend is chosen, for its opponent too. */
function createTrainer({ createModel, loss }: Workload, backend: string): Promise<Trainer> {
  return new Trainer({
    model: createModel,
    loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    discover: false,
    runsDir: false,
    backend,
    logger: createLogger({ level: 'warn' }),
  }).ready();
}

type Pace = Parameters<typeof race>[1];

/** Steps only: what a run does once, at its start and end, is nothing that a bare loop has. */
async function raceBareLoop(trainer: Trainer, workload: Workload, steps: number, pace: Pace) {
  const batches = createBatches(workload, steps);
  const { items, milliseconds } = stopwatch(batches);
  const times = await race(
    {
      trainer: async () => {
        await trainer.fit({ train: items, epochs: 1 });
        return milliseconds();
      },
      other: bareLoop(workload, batches),
    },
    pace,
  );
  tf.dispose(batches.map(({ xs, ys }) => [xs, ys]));
  return times;
}

/** Whole calls, on the same tensors. */
async function raceModelFit(trainer: Trainer, workload: Workload, steps: number, pace: Pace) {
  const batches = createBatches(workload, steps);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const { batchSize } = workload;
  const model = workload.createModel();
  model.compile({ optimizer: tf.train.adam(LEARNING_RATE), loss: workload.lossName });
  const times = await race(
    {
      trainer: async () => {
        await trainer.fit({ train: { xs, ys }, batchSize, shuffle: false, epochs: 1 });
      },
      other: async () => {
        await model.fit(xs, ys, { batchSize, shuffle: false, epochs: 1, verbose: 0 });
      },
    },
    pace,
  );
  tf.dispose([xs, ys]);
  return times;
}

function microseconds(times: Times<'trainer' | 'other'>, steps: number): string {
  const each = (name: 'trainer' | 'other') => ((Math.min(...times[name]) * 1000) / steps).toFixed(0);
  return `${each('trainer')} / ${each('other')} µs a step`;
}
