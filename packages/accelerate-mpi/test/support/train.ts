import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineHook } from '@hookline/hook-api';
import { type CheckpointOptions, checkpoint } from '@hookline/hook-checkpoint';
import { consoleLog, jsonLog } from '@hookline/hook-logging';
import { type FitOptions, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { type ConnectOptions, connect } from '../../src/index.js';

/** How this program trains, as JSON in its first argument. */
export interface Training {
  root: string;
  strategy: TrainerOptions['strategy'];
  epochs: number;
  samples: number;
  batchSize: number;
  units: number;
  kind: 'mlp' | 'cnn';
  backend: TrainerOptions['backend'];
  /** Saves a checkpoint every so many steps, and resumes; 0 does neither. */
  checkpointEvery: number;
  /** Beyond that, how it saves. */
  checkpoint: CheckpointOptions;
  /** Settings in which it may differ from the run that it resumes. */
  override?: FitOptions['override'];
  /** Console and JSON logs, as most people have them. */
  logs: boolean;
  /** What goes wrong. */
  strike?: Strike;
}

export interface Strike {
  rank: number;
  /** In this step of this process, once it has begun. */
  step: number;
  /** At which place of that step; its beginning unless said otherwise. */
  at?: StrikeEvent;
  how: 'kill' | 'stop' | 'throw' | 'uncaught' | 'exit' | 'slow' | 'term' | 'rate' | 'leave' | 'preempt';
}

/** Over MPI: when the second bucket of gradients is on its way, with the first. Needs `units` for more than one. */
const BETWEEN_SUMS = 'between sums';

/** Places of a step: before the forward pass, around the update, and when all is told. */
export type StrikeEvent =
  | 'onStepStart'
  | 'onAfterBackward'
  | 'onBeforeOptimizerStep'
  | 'onAfterOptimizerStep'
  | 'onStepEnd'
  | typeof BETWEEN_SUMS;

/** What each rank writes when it is done. */
export interface Trained {
  rank: number;
  history: Record<string, number>[];
  status: string;
  stopReason?: string | undefined;
  /** The bits of all weights. */
  weights: string;
  /** Milliseconds of the fit, without what comes before the first step. */
  milliseconds: number;
  /** What of it the processors have worked, in all threads of the process. */
  cpuMilliseconds: number;
  runDir?: string | undefined;
}

// The package as the trainer finds it in a project; `project()` in launch.ts has put it there.
Object.assign(globalThis, {
  connectMpi: async (options: ConnectOptions) => {
    const connected = await connect(options);
    const sum = connected.sum.bind(connected);
    connected.sum = (values) => {
      const done = sum(values);
      sumsInStep++;
      if (sumsInStep === 2) strikeAt(BETWEEN_SUMS);
      return done;
    };
    return connected;
  },
});

const training = JSON.parse(process.argv[2]!) as Training;
const { root, samples, units, strike, checkpointEvery } = training;
const isCnn = training.kind === 'cnn';

/** A sine of the number of a value, so that every process has the same data without a file. */
const wave = (count: number, step: number) =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i * step));
const features = isCnn ? 12 * 12 : 8;

function model(): tfl.Sequential {
  const { dense, conv2d, flatten, dropout } = tfl.layers;
  return tfl.sequential({
    layers: isCnn
      ? [
          conv2d({ filters: units, kernelSize: 3, inputShape: [12, 12, 1], activation: 'relu' }),
          conv2d({ filters: units, kernelSize: 3, activation: 'relu' }),
          flatten(),
          dense({ units: 1 }),
        ]
      : [
          dense({ units, inputShape: [features], activation: 'tanh' }),
          dropout({ rate: checkpointEvery > 0 ? 0.2 : 0 }),
          dense({ units, activation: 'tanh' }),
          dense({ units: 1 }),
        ],
  });
}

let rank = 0;
let firstStepAt = 0;
let currentStep = -1;
let sumsInStep = 0;
let cpuBefore = process.cpuUsage();

const own = defineHook({
  name: 'own',
  onTrainStart({ run }) {
    rank = run.rank ?? 0;
    firstStepAt = performance.now();
    cpuBefore = process.cpuUsage();
  },
  onStepStart(_ctx, { step }) {
    currentStep = step;
    sumsInStep = 0;
    strikeAt('onStepStart');
  },
  onAfterBackward: () => strikeAt('onAfterBackward'),
  onBeforeOptimizerStep: () => strikeAt('onBeforeOptimizerStep'),
  onAfterOptimizerStep: () => strikeAt('onAfterOptimizerStep'),
  onStepEnd(_ctx, { step, loss }) {
    strikeAt('onStepEnd');
    const bits = Buffer.from(new Float64Array([loss]).buffer).toString('hex');
    if (rank === 0) appendFileSync(join(root, 'losses'), `${step} ${bits}\n`);
  },
});

function strikeAt(event: StrikeEvent): void {
  if (!strike || strike.how === 'rate' || strike.how === 'leave' || strike.rank !== rank) return;
  if (strike.step === currentStep && (strike.at ?? 'onStepStart') === event) suffer(strike.how);
}

function suffer(how: Strike['how']): void {
  if (how === 'throw')
    throw Object.assign(new Error('out of coffee'), { [Symbol.for('hookline.fatal')]: true });
  if (how === 'uncaught')
    setImmediate(() => {
      throw new Error('out of tea');
    });
  if (how === 'exit') process.exit(3);
  if (how === 'kill') process.kill(process.pid, 'SIGKILL');
  if (how === 'stop') process.kill(process.pid, 'SIGSTOP');
  if (how === 'term') process.kill(process.pid, 'SIGTERM');
  // The launcher has started this process.
  if (how === 'preempt') process.kill(process.ppid, 'SIGTERM');
  if (how === 'preempt') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
  if (how === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
}

const myRank = Number(
  process.env.OMPI_COMM_WORLD_RANK ??
    process.env.PMI_RANK ??
    (JSON.parse(process.env.HOOKLINE_LOCAL_RANK ?? '{"rank":0}') as { rank: number }).rank,
);
const lr = strike?.how === 'rate' && strike.rank === myRank ? 0.5 : 0.01;

const trainer = new Trainer({
  model,
  loss: 'meanSquaredError',
  optimizer: { name: 'adam', lr },
  backend: training.backend ?? 'cpu',
  strategy: training.strategy ?? 'simple',
  metrics: ['meanAbsoluteError'],
  seed: 3,
  root,
  discover: false,
  hooks: [
    own,
    ...(training.logs ? [consoleLog(), jsonLog()] : []),
    ...(checkpointEvery > 0
      ? [checkpoint({ every: { steps: checkpointEvery }, ...training.checkpoint })]
      : []),
  ],
});
if (strike?.how === 'leave' && strike.rank === myRank) {
  await trainer.ready();
  process.exit(4);
}
const xs = isCnn
  ? tf.tensor(wave(samples * features, 0.37), [samples, 12, 12, 1])
  : tf.tensor(wave(samples * features, 0.37), [samples, features]);
const result = await trainer.fit({
  train: { xs, ys: tf.tensor(wave(samples, 0.11), [samples, 1]) },
  validation: { xs: tf.slice(xs, 0, 16), ys: tf.tensor(wave(16, 0.11), [16, 1]) },
  epochs: training.epochs,
  batchSize: training.batchSize,
  ...(checkpointEvery > 0 && { resume: 'auto', override: training.override ?? [] }),
});
const weights = (await trainer.model())
  .getWeights()
  .map((each) => Buffer.from(each.dataSync().slice().buffer));
const trained: Trained = {
  rank,
  history: result.history.map((metrics) => ({ ...metrics })),
  status: result.status,
  stopReason: result.stopReason,
  weights: Buffer.concat(weights).toString('hex'),
  milliseconds: performance.now() - firstStepAt,
  cpuMilliseconds: (({ user, system }) => (user + system) / 1000)(process.cpuUsage(cpuBefore)),
  runDir: result.runDir,
};
writeFileSync(join(root, `rank-${rank}.json`), JSON.stringify(trained));
