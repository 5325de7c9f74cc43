import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook, Metrics } from '@hookline/hook-api';
import { type FitOptions, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';
import { fakeLogger } from '../fakes/fake-logger.js';
import { type Watch, watch } from './watch.js';

export interface TrialOptions {
  /** Of `fit`, where they are not those of every trial. */
  fit?: Partial<FitOptions>;
  /** What is done with the trainer instead of one fit. */
  work?: (trainer: Trainer) => Promise<unknown>;
  /** Where runs are written, kept afterwards. Default: a temporary folder, only for hooks that write. */
  runsDir?: string;
  /** Is given the trainer before anything is done with it. */
  prepare?: (trainer: Trainer) => void;
}

export interface Trial extends Pick<Watch, 'series' | 'states' | 'seen'> {
  /** Every weight in the end. */
  weights: number[];
  history: readonly Metrics[];
  stopReason: string | undefined;
  /** What the run ended with, where it failed. */
  error: unknown;
  /** What the trainer said about methods that threw, by hook. */
  failures: Record<string, string[]>;
  /** Tensors that are left when trainer and model are disposed. */
  leftTensors: number;
}

const EPOCHS = 2;
export const BATCHES = 3;
const BATCH_SIZE = 2;

/** A real run on the cpu: a small model with dropout, 2 epochs of 3 batches, validation after each. */
export async function trial(hooks: readonly Hook[], options: TrialOptions = {}): Promise<Trial> {
  const before = tf.memory().numTensors;
  const needsFolder = options.runsDir === undefined && hooks.some(({ writes }) => writes);
  const folder = needsFolder ? mkdtempSync(join(tmpdir(), 'hook-testkit-')) : undefined;
  const logger = fakeLogger();
  const watched = watch();
  const trainer = new Trainer({
    model,
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 0.01 },
    metrics: ['meanAbsoluteError'],
    hooks: [watched.hook, ...hooks],
    discover: false,
    signals: false,
    backend: 'cpu',
    seed: 3,
    runsDir: options.runsDir ?? folder ?? false,
    logger,
  });
  options.prepare?.(trainer);
  const work = options.work ?? (() => trainer.fit({ ...FIT, ...options.fit }));
  let result: Partial<Trial> = {};
  let error: unknown;
  try {
    result = Object(await work(trainer)) as Partial<Trial>;
  } catch (cause) {
    error = cause;
  }
  const weights = await dispose(trainer);
  if (folder) rmSync(folder, { recursive: true, force: true });
  return {
    weights,
    history: result.history ?? [],
    stopReason: result.stopReason,
    error,
    series: watched.series,
    states: watched.states,
    seen: watched.seen,
    failures: failuresIn(logger.lines),
    leftTensors: tf.memory().numTensors - before,
  };
}

export const FIT: FitOptions = {
  train: samples(BATCHES * BATCH_SIZE),
  validation: samples(BATCH_SIZE),
  epochs: EPOCHS,
  batchSize: BATCH_SIZE,
};

function model(): LayersModel {
  return sequential({
    layers: [
      layers.dense({ inputShape: [2], units: 4, activation: 'tanh', name: 'hidden' }),
      layers.dropout({ rate: 0.25 }),
      layers.dense({ units: 1, name: 'output' }),
    ],
  });
}

/** Plain numbers, so that they do not count as tensors when tensors are counted. */
function samples(count: number): { xs: number[][]; ys: number[][] } {
  const xs = Array.from({ length: count }, (_, i) => [Math.sin(i), Math.cos(3 * i)]);
  return { xs, ys: xs.map(([a = 0, b = 0]) => [a * 0.5 - b]) };
}

async function dispose(trainer: Trainer): Promise<number[]> {
  try {
    const trained = (await trainer.model()) as LayersModel;
    const weights = (await Promise.all(trained.getWeights().map((weight) => weight.data()))).flatMap(
      (values) => [...values],
    );
    await trainer.dispose();
    trained.dispose();
    return weights;
  } catch {
    return []; // it could not be prepared: then there is nothing to dispose
  }
}

function failuresIn(lines: ReturnType<typeof fakeLogger>['lines']): Record<string, string[]> {
  const failures: Record<string, string[]> = {};
  for (const { level, message, fields } of lines) {
    if (level !== 'error' || typeof fields.hook !== 'string' || !('err' in fields)) continue;
    failures[fields.hook] ??= [];
    failures[fields.hook]!.push(message);
  }
  return failures;
}
