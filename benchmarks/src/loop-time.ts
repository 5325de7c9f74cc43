import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type Benchmark, roundsFor } from './benchmark.js';
import { Laps } from './laps.js';
import { processorTime } from './processor-time.js';
import { spreadOf } from './statistics.js';
import { MODELS, stepOf } from './training-steps.js';
import { createBatches, TINY } from './workloads.js';

const [STEPS, LAPS, WARM_UP] = [5, 40, 60];

/** What the trainer adds to a tiny step: against the same kernels, loss and update in a loop written by hand. */
export const loopTime: Benchmark = async (settings) => {
  const trainer = await new Trainer({
    model: TINY.createModel,
    loss: 'meanSquaredError',
    optimizer: 'adam',
    discover: false,
    runsDir: false,
    backend: 'wasm',
    logger: createLogger({ level: 'warn' }),
  }).ready();
  const byHand = stepOf(MODELS.tiny!(), true);
  const batches = createBatches(TINY, STEPS);
  const own: number[] = [];
  const others: number[] = [];
  for (let round = -WARM_UP; round < roundsFor(settings); round++) {
    globalThis.gc?.();
    const hand: number[] = [];
    const track = Object.assign(new Laps(...batches), {
      laps: LAPS,
      rest: () => {
        const start = processorTime();
        for (let i = 0; i < STEPS; i++) byHand();
        hand.push(processorTime() - start);
      },
    });
    await trainer.fit({ train: track, epochs: 1 });
    if (round < 0) continue;
    const each = (times: readonly number[]) => (spreadOf(times).median * 1000) / STEPS;
    own.push(each(track.times));
    others.push(each(hand));
  }
  tf.dispose(batches.map(({ xs, ys }) => [xs, ys]));
  const added = spreadOf(own.map((time, round) => time - others[round]!));
  return [
    {
      what: 'tiny, wasm: what the trainer adds to a step, microseconds',
      count: Number(added.median.toFixed(1)),
      budget: 25,
      note: `${spreadOf(own).median.toFixed(0)} / ${spreadOf(others).median.toFixed(0)} µs a step`,
    },
  ];
};
