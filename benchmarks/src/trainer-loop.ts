import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { bareLoop, LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { Laps } from './laps.js';
import { race, ratioOf, type Times } from './paired.js';
import { processorTime } from './processor-time.js';

import { createBatches, MLP, TINY, type Workload } from './workloads.js';

export const tinyOnWasm: Benchmark = (settings) =>
  trainerLoop(TINY, 'wasm', { lap: 5, laps: 40, epoch: 100, budget: 1.15, warmUpSteps: 8_000 }, settings);

export const tinyOnCpu: Benchmark = (settings) =>
  trainerLoop(TINY, 'cpu', { lap: 5, laps: 40, epoch: 100, budget: 1.15, warmUpSteps: 8_000 }, settings);

export const mlpOnWasm: Benchmark = (settings) =>
  trainerLoop(MLP, 'wasm', { lap: 2, laps: 5, epoch: 20, budget: 1.03 }, settings);

/** Its plain loops take fifty times as long as wasm, so fewer steps are run. */
export const mlpOnCpu: Benchmark = (settings) =>
  trainerLoop(MLP, 'cpu', { lap: 1, laps: 3, epoch: 2, budget: 1.03 }, settings);

interface Size {
  /** Steps in one timed run against the bare loop, and such runs in a round. */
  lap: number;
  laps: number;
  /** Steps in one timed run against `model.fit`. More, because there the whole call is timed. */
  epoch: number;
  budget: number;
  /** Before anything is timed. */
  warmUpSteps?: number;
}

/** The trainer without hooks against a loop written by hand and against `model.fit`. */
async function trainerLoop(
  workload: Workload,
  backend: string,
  size: Size,
  settings: Settings,
): Promise<Row[]> {
  const rounds = roundsFor(settings);
  const steps = await raceBareLoop(await createTrainer(workload, backend), workload, size, rounds);
  const calls = await raceModelFit(await createTrainer(workload, backend), workload, size, rounds);
  const what = `${workload.name}, ${backend}: trainer without hooks`;
  return [
    {
      what: `${what} / bare loop`,
      ratio: ratioOf(steps, 'trainer', 'other'),
      budget: size.budget,
      note: microseconds(steps, size.lap),
    },
    {
      what: `${what} / model.fit`,
      ratio: ratioOf(calls, 'trainer', 'other'),
      budget: 1,
      note: microseconds(calls, size.epoch),
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

/** Steps only: what a run does once, at its start and end, is nothing that a bare loop has. */
async function raceBareLoop(
  trainer: Trainer,
  workload: Workload,
  { lap, laps, warmUpSteps = 0 }: Size,
  rounds: number,
): Promise<Times<'trainer' | 'other'>> {
  const batches = createBatches(workload, lap);
  const bare = bareLoop(workload, batches);
  const times: Times<'trainer' | 'other'> = { trainer: [], other: [] };
  // Where the machine is busy, so is the thread that compiles: after a thousand steps the trainer's part, which is
  // called once a step, still runs uncompiled.
  const warmUp = Math.max(6, Math.ceil(warmUpSteps / (lap * laps)));
  for (let round = -warmUp; round < rounds; round++) {
    globalThis.gc?.();
    const bareTimes: number[] = [];
    const track = Object.assign(new Laps(...batches), {
      laps,
      rest: () => {
        const start = processorTime();
        bare();
        bareTimes.push(processorTime() - start);
      },
    });
    await trainer.fit({ train: track, epochs: 1 });
    if (round < 0) continue;
    // The fastest count: what others do on the machine only ever adds time.
    times.trainer.push(Math.min(...track.times));
    times.other.push(Math.min(...bareTimes));
  }
  tf.dispose(batches.map(({ xs, ys }) => [xs, ys]));
  return times;
}

/** Whole calls, on the same tensors. */
async function raceModelFit(
  trainer: Trainer,
  workload: Workload,
  { epoch }: Size,
  rounds: number,
): Promise<Times<'trainer' | 'other'>> {
  const batches = createBatches(workload, epoch);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const { batchSize } = workload;
  const model = workload.createModel();
  model.compile({ optimizer: tf.train.adam(LEARNING_RATE), loss: workload.lossName });
  const times = await race(
    {
      trainer: () => trainer.fit({ train: { xs, ys }, batchSize, shuffle: false, epochs: 1 }),
      other: () => model.fit(xs, ys, { batchSize, shuffle: false, epochs: 1, verbose: 0 }),
    },
    { rounds, warmUp: 3, repeats: 2, clock: processorTime },
  );
  tf.dispose([xs, ys]);
  return times;
}

function microseconds(times: Times<'trainer' | 'other'>, steps: number): string {
  const each = (name: 'trainer' | 'other') => ((Math.min(...times[name]) * 1000) / steps).toFixed(0);
  return `${each('trainer')} / ${each('other')} µs a step`;
}
