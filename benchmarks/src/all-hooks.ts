import type { Batch } from '@hookline/hook-api';
import { createLogger, type FitOptions, type FitResult, type Loader, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { LEARNING_RATE } from './bare-loop.js';
import type { Benchmark, Row } from './benchmark.js';
import { createFullProject, type Project } from './full-project.js';
import { ratioOf, type Times } from './paired.js';
import { type Leg, relay } from './relay.js';
import { createBatches, MLP, TINY } from './workloads.js';

const EPOCHS = 3;
/** Between turns. */
const LEG_STEPS = 10;

interface Subject {
  name: string;
  budget: number;
  batches(): Batch[];
  model: () => ReturnType<typeof sequential>;
  loss: 'meanSquaredError' | 'categoricalCrossentropy';
}

const SUBJECTS: readonly Subject[] = [
  {
    name: 'MLP',
    budget: 1.03,
    batches: () => createBatches(MLP, 20),
    model: MLP.createModel as Subject['model'],
    loss: 'categoricalCrossentropy',
  },
  {
    name: 'CNN',
    budget: 1.03,
    batches: () => Array.from({ length: 10 }, (_, seed) => imageBatch(seed + 1)),
    model: () =>
      sequential({
        layers: [
          layers.conv2d({
            filters: 16,
            kernelSize: 3,
            padding: 'same',
            activation: 'relu',
            inputShape: IMAGE,
          }),
          layers.maxPooling2d({ poolSize: 2 }),
          layers.conv2d({ filters: 32, kernelSize: 3, padding: 'same', activation: 'relu' }),
          layers.maxPooling2d({ poolSize: 2 }),
          layers.flatten(),
          layers.dense({ units: 10, activation: 'softmax' }),
        ],
      }),
    loss: 'categoricalCrossentropy',
  },
  {
    name: 'tiny',
    budget: 1.15,
    batches: () => createBatches(TINY, 20),
    model: TINY.createModel as Subject['model'],
    loss: 'meanSquaredError',
  },
];

/**
 * Every hook that a project gets which has all packages installed, as it is by default, against none: whole runs with a
 * checkpoint after every epoch, their start and their end included.
 */
export const allHooks: Benchmark = async ({ quick }) => {
  const project = createFullProject();
  const printed = [process.stdout, process.stderr].map((stream) => [stream, stream.write] as const);
  // Printing costs what it costs on a terminal that nobody looks at.
  for (const [stream] of printed) stream.write = () => true;
  try {
    const rows: Row[] = [];
    for (const subject of SUBJECTS) {
      for (const steps of [200, 60]) rows.push(await raceHooks(subject, steps, project, quick ? 2 : 15));
    }
    return rows;
  } finally {
    for (const [stream, write] of printed) stream.write = write;
    project.remove();
  }
};

async function raceHooks(subject: Subject, steps: number, project: Project, rounds: number): Promise<Row> {
  const without = await createTrainer(subject, project, false);
  const withHooks = await createTrainer(subject, project, true);
  const batches = subject.batches();
  const times: Times<'hooks' | 'none'> = { hooks: [], none: [] };
  let hookCosts: FitResult['hookCosts'] = [];
  const none: Leg = (handOver) => without.fit(epochsOf(batches, steps, handOver));
  const hooks: Leg = async (handOver) => {
    ({ hookCosts } = await withHooks.fit(epochsOf(batches, steps, handOver)));
  };
  for (let round = -2; round < rounds; round++) {
    globalThis.gc?.();
    const taken = await relay(round % 2 === 0 ? { none, hooks } : { hooks, none }); // who goes first changes
    if (round < 0) continue; // everything was compiled in these
    times.hooks.push(taken.hooks);
    times.none.push(taken.none);
  }
  tf.dispose(batches.map(({ xs, ys }) => [xs, ys]) as never);
  const own = hookCosts.map(({ name, milliseconds }) => `${name} ${milliseconds.toFixed(1)}`);
  return {
    what: `${subject.name}, wasm: all ${hookCosts.length} default hooks / none, ${steps} steps an epoch`,
    ratio: ratioOf(times, 'hooks', 'none'),
    budget: subject.budget,
    note: `${fastest(times.hooks)} / ${fastest(times.none)} ms for ${EPOCHS} epochs; own ms: ${own.join(', ')}`,
  };
}

function createTrainer({ model, loss }: Subject, { root }: Project, discover: boolean): Promise<Trainer> {
  return new Trainer({
    model,
    loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    discover,
    root,
    backend: 'wasm',
    logger: createLogger({ level: 'warn' }),
  }).ready();
}

/** Epochs over a few batches again and again, and a small validation, so that early stopping has what to judge. */
function epochsOf(batches: readonly Batch[], steps: number, handOver: Parameters<Leg>[0]): FitOptions {
  const train: Loader = {
    name: 'train',
    batches: steps,
    owned: false,
    async *epoch() {
      for (let step = 0; step < steps; step++) {
        if (step > 0 && step % LEG_STEPS === 0) await handOver();
        yield batches[step % batches.length]!;
      }
    },
  };
  return { train, validation: batches.slice(0, 2), epochs: EPOCHS };
}

const IMAGE = [28, 28, 1];

function imageBatch(seed: number): Batch {
  return {
    xs: tf.randomUniform([32, ...IMAGE], 0, 1, 'float32', seed),
    ys: tf.tidy(() => {
      const labels = tf.cast(tf.randomUniform([32], 0, 10, 'float32', seed), 'int32') as tf.Tensor1D;
      return tf.cast(tf.oneHot(labels, 10), 'float32');
    }),
  };
}

function fastest(times: readonly number[]): string {
  return Math.min(...times).toFixed(0);
}
