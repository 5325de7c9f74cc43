import { type GradientMonitorOptions, gradientMonitor } from '@hookline/hook-gradient-monitor';
import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { Laps } from './laps.js';
import { ratioOf, type Times } from './paired.js';
import { createBatches, MLP } from './workloads.js';

/** In one timed run, and such runs in a round. */
const STEPS = 2;
const LAPS = 10;

const SIDES = {
  without: undefined,
  norms: { every: 1, stats: [], percentiles: [], histogram: false },
  distributions: { every: 1, stats: [] },
  defaults: { every: 1 },
  everything: {
    every: 1,
    gradients: 'both',
    stats: ['min', 'max', 'mean', 'std', 'zeros', 'nonfinite', 'update-ratio'],
  },
} satisfies Record<string, GradientMonitorOptions | undefined>;

type Side = keyof typeof SIDES;

/** The gradient monitor in every step against the same trainer without it, on the MLP. Steps only are timed. */
export const gradientMonitorEveryStep: Benchmark = async (settings) => {
  const batches = createBatches(MLP, STEPS);
  const names = Object.keys(SIDES) as Side[];
  const trainers = new Map<Side, Trainer>();
  for (const name of names) trainers.set(name, await createTrainer(SIDES[name]));
  const times: Times<Side> = { without: [], norms: [], distributions: [], defaults: [], everything: [] };
  const warmUp = 3;
  for (let round = -warmUp; round < roundsFor(settings); round++) {
    // Who goes first changes.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      globalThis.gc?.();
      const track = Object.assign(new Laps(...batches), { laps: LAPS });
      await trainers.get(name)!.fit({ train: track, epochs: 1 });
      if (round >= 0) times[name].push(Math.min(...track.times));
    }
  }
  tf.dispose(batches.map(({ xs, ys }) => [xs, ys]));
  const row = (what: string, side: Side, budget?: number): Row => ({
    what: `MLP, wasm: gradient-monitor every step, ${what} / without it`,
    ratio: ratioOf(times, side, 'without'),
    ...(budget !== undefined && { budget }),
    note: `${stepTime(times[side])} / ${stepTime(times.without)} µs a step`,
  });
  return [
    row('norms', 'norms', 1.1),
    row('norms, percentiles, histograms', 'distributions', 1.25),
    row('as by default', 'defaults'),
    row('everything, raw and applied', 'everything'),
  ];
};

function createTrainer(options: GradientMonitorOptions | undefined): Promise<Trainer> {
  return new Trainer({
    model: MLP.createModel,
    loss: MLP.loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    hooks: options ? [gradientMonitor(options)] : [],
    discover: false,
    runsDir: false,
    backend: 'wasm',
    logger: createLogger({ level: 'error' }),
  }).ready();
}

function stepTime(milliseconds: readonly number[]): string {
  return ((Math.min(...milliseconds) * 1000) / STEPS).toFixed(0);
}
