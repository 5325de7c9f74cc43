import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createLogger, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { race, ratioOf, type Times } from './paired.js';
import { processorTime } from './processor-time.js';
import { createBatches, MLP, TINY, type Workload } from './workloads.js';

/** `strategy: 'accelerate'` in one process against `'simple'`, and two processes against one and against two threads. */
export const accelerate: Benchmark = async (settings) => {
  if (process.env[SIDE] !== undefined) return beSide();
  const rows: Row[] = [];
  for (const [workload, steps] of [[TINY, 400] as const, [MLP, 40] as const])
    rows.push(await worldOfOne(workload, steps, settings));
  for (const model of Object.keys(MODELS) as ModelName[]) rows.push(...(await ways(model, settings)));
  return rows;
};

async function worldOfOne(workload: Workload, steps: number, settings: Settings): Promise<Row> {
  const batches = createBatches(workload, steps);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const fitWith = (strategy: 'accelerate' | 'simple') => {
    const trainer = new Trainer({
      ...{ model: workload.createModel, loss: workload.loss, optimizer: 'adam', strategy, seed: 1 },
      ...QUIET,
    });
    return () => trainer.fit({ train: { xs, ys }, batchSize: workload.batchSize, epochs: 1 });
  };
  const times = await race(
    { accelerate: fitWith('accelerate'), simple: fitWith('simple') },
    { rounds: roundsFor(settings), warmUp: 6, repeats: 3, clock: processorTime },
  );
  tf.dispose([xs, ys]);
  return {
    what: `${workload.name}, wasm: accelerate in one process / simple`,
    ratio: ratioOf(times, 'accelerate', 'simple'),
    budget: 1.02,
    note: `${((Math.min(...times.accelerate) * 1000) / steps).toFixed(0)} / ${((Math.min(...times.simple) * 1000) / steps).toFixed(0)} µs a step`,
  };
}

/** Set in the processes that train: which model, and how. */
const SIDE = 'HOOKLINE_ACCELERATE_SIDE';

/** Ways to use two cores, beside one. */
const WAYS = {
  'one process': {},
  'two threads': { backend: { name: 'wasm', threads: 2 } },
  'two processes': { strategy: { name: 'accelerate', processes: 2 } },
} as const satisfies Record<string, Pick<TrainerOptions, 'backend' | 'strategy'>>;

type Way = keyof typeof WAYS;

/** Each with the machine to itself, in a new process, in turns. */
async function ways(model: ModelName, settings: Settings): Promise<Row[]> {
  const names = Object.keys(WAYS) as Way[];
  const times: Times<Way> = { 'one process': [], 'two threads': [], 'two processes': [] };
  for (let round = 0; round < Math.ceil(roundsFor(settings) / 5); round++)
    for (const way of names) times[way].push(await fitAlone(model, way));
  const note = names.map((way) => `${way} ${(Math.min(...times[way]) / 1000).toFixed(2)} s`).join(', ');
  const rows = [
    ['two processes', 'one process'],
    ['two threads', 'one process'],
    ['two processes', 'two threads'],
  ] as const;
  return rows.map(([own, other]) => ({
    what: `${model}: ${own} / ${other}`,
    ratio: ratioOf(times, own, other),
    note,
  }));
}

async function fitAlone(model: ModelName, way: Way): Promise<number> {
  const [file, benchmark] = process.argv.slice(1) as [string, string];
  const env = { ...process.env, [SIDE]: JSON.stringify({ model, way }) };
  const child = fork(file, [benchmark, 'full'], { env });
  const answer = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${model} with ${way} ended with ${code} and no time`);
  });
  const [milliseconds] = (await Promise.race([answer, ended])) as [number];
  ended.catch(() => {});
  return milliseconds;
}

/** In a process that trains: tells how long the epochs after the first take, then ends. */
async function beSide(): Promise<never> {
  const { model, way } = JSON.parse(process.env[SIDE]!) as { model: ModelName; way: Way };
  const { createModel, rows, batchSize, shape } = MODELS[model];
  let begun = 0;
  const trainer = new Trainer({
    ...{ model: createModel, loss: 'meanSquaredError', optimizer: 'adam', seed: 1, ...QUIET, ...WAYS[way] },
    hooks: [
      {
        name: 'clock',
        onEpochStart: (_ctx: unknown, { epoch }: { epoch: number }) => {
          if (epoch === 1) begun = performance.now();
        },
      },
    ],
  });
  const xs = tf.randomNormal([rows, ...shape], 0, 1, 'float32', 1);
  const ys = tf.randomNormal([rows, 1], 0, 1, 'float32', 2);
  const { rank } = await trainer.fit({ train: { xs, ys }, batchSize, epochs: EPOCHS });
  const milliseconds = performance.now() - begun;
  // The second process has no channel to the one that asks.
  if (!rank) await new Promise((resolve) => process.send!(milliseconds, resolve));
  return process.exit();
}

const EPOCHS = 8;
const QUIET = { discover: false, runsDir: false, logger: createLogger({ level: 'error' }) } as const;

/** Large batches: a share of them is still work. */
const MODELS = {
  'MLP of 512': {
    createModel: () =>
      sequential({
        layers: [
          layers.dense({ units: 512, activation: 'relu', inputShape: [128] }),
          layers.dense({ units: 512, activation: 'relu' }),
          layers.dense({ units: 1 }),
        ],
      }),
    ...{ rows: 8192, batchSize: 1024, shape: [128] },
  },
  'CNN of 16': {
    createModel: () =>
      sequential({
        layers: [
          layers.conv2d({ filters: 16, kernelSize: 3, activation: 'relu', inputShape: [16, 16, 1] }),
          layers.conv2d({ filters: 16, kernelSize: 3, activation: 'relu' }),
          layers.flatten(),
          layers.dense({ units: 1 }),
        ],
      }),
    ...{ rows: 4096, batchSize: 512, shape: [16, 16, 1] },
  },
};

type ModelName = keyof typeof MODELS;
