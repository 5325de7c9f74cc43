import { existsSync, readdirSync } from 'node:fs';
import type { Hook, HookLogger } from '@hookline/hook-api';
import { type FitOptions, type FitResult, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tfl from '@tensorflow/tfjs-layers';
import { type CheckpointOptions, checkpoint } from '../src/index.js';

/** 20 samples of 3 numbers, and what a model is to make of them. */
export function samples(count = 20, seed = 1): { xs: number[][]; ys: number[][] } {
  let state = seed * 2654435761;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 2 - 1;
  };
  const xs = Array.from({ length: count }, () => [next(), next(), next()]);
  return { xs, ys: xs.map(([a, b, c]) => [Math.sin(a! + 2 * b!) - 0.5 * c!]) };
}

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
const FIT = { train: samples(), validation: samples(6, 2), epochs: 3, batchSize: 4 };

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

export interface Outcome {
  result: FitResult;
  weights: number[][];
  said: LogLine[];
  warnings: string[];
  trainer: Trainer;
}

export interface RunOptions {
  /** Of the hook; false leaves it out. Written on this thread unless the test says otherwise. */
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
    backend: 'cpu',
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
  const weights = ((await trainer.model()) as tfl.Sequential)
    .getWeights()
    .map((weight) => [...weight.dataSync()]);
  const warnings = said.filter(({ level }) => level === 'warn').map(({ message }) => message);
  return { result, weights, said, warnings, trainer };
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

function collectingLogger(lines: LogLine[]): HookLogger {
  const at =
    (level: LogLine['level']): HookLogger['info'] =>
    (first: string | object, message?: string) => {
      const [fields, text] = typeof first === 'string' ? [{}, first] : [first, message ?? ''];
      lines.push({ level, message: text, fields: { ...fields } });
    };
  const logger: HookLogger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return logger;
}
