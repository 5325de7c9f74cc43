import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import type { Benchmark, Row, Settings } from './benchmark.js';
import { watchMemory } from './resident-peak.js';

const LAYERS = 10;

/** Tells a process what to measure, and where. */
const TASK = 'HOOKLINE_CHECKPOINT_MEMORY';
type What = 'saving' | 'saving-again' | 'resuming';
type Task = `${What} ${string}`;

/**
 * What checkpoints take of memory at their height, in sizes of the state: weights and the two slots of Adam. In a
 * process of its own each time: what one has given back must not serve the next.
 */
export const checkpointMemory: Benchmark = async (settings) => {
  const task = process.env[TASK];
  if (task !== undefined) return measure(task as Task, settings);
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const saving = await measureElsewhere(`saving ${root}`, settings);
    const resuming = await measureElsewhere(`resuming ${root}`, settings);
    const again = await measureElsewhere(`saving-again ${join(root, 'again')}`, settings);
    return [...saving, ...again, ...resuming];
  } finally {
    rmSync(root, { recursive: true });
  }
};

function measureElsewhere(task: Task, { quick }: Settings): Promise<Row[]> {
  const [file, benchmark] = process.argv.slice(1) as [string, string];
  const env = { ...process.env, [TASK]: task };
  return new Promise((resolve, reject) => {
    const child = fork(file, [benchmark, quick ? 'quick' : 'full'], { env });
    child.once('message', (message) => resolve(message as Row[]));
    child.once('exit', (code, signal) => reject(new Error(`${task} ended with ${signal ?? code}`)));
  });
}

async function measure(task: Task, { quick }: Settings): Promise<Row[]> {
  const [what, root] = task.split(' ') as [What, string];
  const units = quick ? 300 : 1500;
  const state = (LAYERS * (units + 1) * units + units + 1) * 4 * 3;
  const bytes = await MEASURES[what](root, units);
  const words = {
    saving: 'peak memory that a checkpoint adds to training',
    'saving-again': 'peak memory that three checkpoints in a row add to training',
    resuming: 'peak memory that a resume adds to a trainer, the state of the optimizer included',
  };
  return [
    {
      what: `wasm: ${words[what]}, in sizes of the state`,
      count: Number((bytes / state).toFixed(2)),
      budget: 2,
      note: `${(bytes / 1e6).toFixed(0)} MB for a state of ${(state / 1e6).toFixed(0)} MB`,
    },
  ];
}

const MEASURES: Record<What, (root: string, units: number) => Promise<number>> = {
  saving: (root, units) => whileSaving(root, units, 1),
  'saving-again': (root, units) => whileSaving(root, units, 3),
  resuming: whileResuming,
};

async function whileSaving(root: string, units: number, steps: number): Promise<number> {
  let peak: (() => number) | undefined;
  // The first batch is done, and the checkpoint that follows it is not begun.
  const watcher: Hook = {
    name: 'watcher',
    onTrainBatchEnd: async () => {
      peak ??= await watchMemory();
    },
  };
  await fit(root, units, watcher, { maxSteps: steps });
  return peak?.() ?? Number.NaN;
}

async function whileResuming(root: string, units: number): Promise<number> {
  let added = 0;
  let peak = (): number => 0;
  const watcher: Hook = {
    name: 'watcher',
    setup: async () => {
      peak = await watchMemory();
    },
    onTrainStart: (ctx) => {
      added = peak();
      ctx.stop('it has been measured');
    },
  };
  await fit(root, units, watcher, { maxSteps: 1, resume: 'last' });
  return added;
}

async function fit(
  root: string,
  units: number,
  watcher: Hook,
  options: { maxSteps: number; resume?: string },
): Promise<void> {
  const trainer = new Trainer({
    model: () => createModel(units),
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 1e-4 },
    hooks: [watcher, checkpoint({ dir: join(root, 'checkpoints'), every: { steps: 1 } })],
    discover: false,
    runsDir: join(root, 'runs'),
    backend: 'wasm',
    logger: createLogger({ level: 'error' }),
  });
  await trainer.ready();
  const train = { xs: tf.ones([2, units]), ys: tf.ones([2, 1]) };
  await trainer.fit({ train, epochs: options.maxSteps, ...options });
  await trainer.dispose();
  tf.dispose(train);
}

function createModel(units: number): tfl.Sequential {
  const kernelInitializer = tfl.initializers.constant({ value: 1 / units });
  const hidden = Array.from({ length: LAYERS }, () =>
    tfl.layers.dense({ units, inputShape: [units], kernelInitializer }),
  );
  return tfl.sequential({ layers: [...hidden, tfl.layers.dense({ units: 1 })] });
}
