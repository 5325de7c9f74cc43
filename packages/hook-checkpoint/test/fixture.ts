import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook, HookContext } from '@hookline/hook-api';
import { openFolder } from '@hookline/safetensors/node';
import { collectingLogger, type LogLine, regression, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import { type FitOptions, type FitResult, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tfl from '@tensorflow/tfjs-layers';
import { type CheckpointInfo, type CheckpointOptions, checkpoint } from '../src/index.js';

/** Dropout and two layers: with shuffling and an optimizer, everything that must come back for the same bits. */
export function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 6, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dropout({ rate: 0.3 }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

/** 5 batches an epoch. */
const FIT = { train: regression(20, 1), validation: regression(6, 2), epochs: 3, batchSize: 4 };

export interface Outcome {
  result: FitResult;
  weights: number[][];
  said: LogLine[];
  warnings: string[];
  trainer: Trainer;
}

export interface RunOptions {
  /** Options of the hook; false leaves it out. Written on this thread unless the test says otherwise. */
  checkpoint?: CheckpointOptions | false;
  hooks?: Hook[];
  fit?: Partial<FitOptions>;
  withoutValidation?: boolean;
  /** Called before it trains. */
  onTrainer?: (trainer: Trainer) => void;
  trainer?: Partial<TrainerOptions>;
  said?: LogLine[];
}

/** A real fit of a small model, with the hook. */
export async function run(root: string, options: RunOptions = {}): Promise<Outcome> {
  const { said = [], hooks = [] } = options;
  const own = options.checkpoint === false ? [] : [checkpoint({ async: false, ...options.checkpoint })];
  const trainer = new Trainer({
    model,
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 0.02 },
    seed: 1,
    root,
    discover: false,
    backend: TEST_BACKEND,
    logger: collectingLogger(said),
    ...options.trainer,
    hooks: [...hooks, ...own],
  });
  options.onTrainer?.(trainer);
  const { validation, ...training } = FIT;
  const result = await trainer.fit({
    ...training,
    ...(!options.withoutValidation && { validation }),
    ...options.fit,
  });
  const weights = weightsOf((await trainer.model()) as tfl.Sequential);
  const warnings = said.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { result, weights, said, warnings, trainer };
}

/** The folder that a run saves to by default. */
export function dirOf({ result }: Pick<Outcome, 'result'>): string {
  return join(result.runDir, 'checkpoints');
}

export async function infoOf(path: string): Promise<CheckpointInfo> {
  return (await openFolder(path)).manifest.info as CheckpointInfo;
}

/** Gives a metric these values, one after the other: one in each epoch, or in each step. */
export function scripted(
  metric: string,
  values: readonly number[],
  event: 'onEpochEnd' | 'onStepEnd' = 'onEpochEnd',
): Hook {
  let index = 0;
  return {
    name: `scripted ${metric}`,
    [event]: (ctx: HookContext) => {
      const value = values[index++];
      if (value !== undefined) ctx.log({ [metric]: value });
    },
  };
}

/** Collects the paths of the checkpoints that were saved, in order. */
export function saves(): Hook & { readonly paths: string[] } {
  const paths: string[] = [];
  return { name: 'saves', paths, onCheckpointSave: (_ctx, { path }) => void paths.push(path) };
}

/** Names of the checkpoints in a folder, and of the small files beside them. */
export function contents(dir: string): { checkpoints: string[]; files: string[] } {
  if (!existsSync(dir)) return { checkpoints: [], files: [] };
  const found = readdirSync(dir, { withFileTypes: true });
  return {
    checkpoints: found
      .filter((each) => each.isDirectory())
      .map(({ name }) => name)
      .sort(),
    files: found
      .filter((each) => each.isFile())
      .map(({ name }) => name)
      .sort(),
  };
}

/** Stops the run when this step is done, as a signal would. */
export function stopAt(step: number, reason = 'SIGINT'): Hook {
  return {
    name: 'stopper',
    onStepEnd: (ctx) => {
      if (ctx.state.step === step) ctx.stop(reason);
    },
  };
}
