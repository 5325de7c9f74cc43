import { didYouMean, type HostTensor, type Snapshot } from '@hookline/hook-api';
import { matchesPath, type PathFilter } from '@hookline/layer-taps';
import { fromHost } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { Trainable } from '../model/trainable.js';

/** A weight of the model that was not loaded. */
export interface WeightNotLoaded {
  path: string;
  /** `missing`: not in the checkpoint. `shape`, `dtype`: it is there, and does not fit. `filter`: not asked for. */
  why: 'missing' | 'shape' | 'dtype' | 'filter';
  /** What the checkpoint has, where it has something. */
  saved?: Pick<HostTensor, 'shape' | 'dtype'>;
}

/** What became of the weights of a checkpoint. */
export interface LoadReport {
  /** Where the checkpoint is. */
  checkpoint: string;
  /** Paths of the weights that have the saved values now. */
  loaded: readonly string[];
  /** Weights of the model that were left as they were. */
  notLoaded: readonly WeightNotLoaded[];
  /** Weights of the checkpoint that the model does not have. */
  unused: readonly string[];
}

/** Which weights of the model: all, or those whose paths match. */
export type WeightFilter = 'all' | PathFilter;

/** Gives the model the saved weights that fit; the others stay as they are. An error when none fit. */
export function loadWeights(
  { parameters }: Pick<Trainable, 'parameters'>,
  snapshot: Snapshot,
  checkpoint: string,
  filter: WeightFilter = 'all',
): LoadReport {
  const report = compareWeights(parameters, snapshot, checkpoint, filter);
  if (report.loaded.length === 0) throw nothingFits(report);
  const saved = savedWeights(snapshot);
  for (const { path, variable } of parameters) {
    if (report.loaded.includes(path)) assign(variable, saved[path]!);
  }
  return report;
}

/** Lends the model the saved weights, all of which must fit; returns how to give it its own ones back. */
export function lendWeights(
  { parameters }: Pick<Trainable, 'parameters'>,
  snapshot: Snapshot,
  checkpoint: string,
): () => void {
  const report = compareWeights(parameters, snapshot, checkpoint, 'all');
  if (report.notLoaded.length > 0 || report.unused.length > 0) {
    throw trainerError(
      'CHECKPOINT_MISMATCH',
      `The weights of ${checkpoint} are not those of this model:\n${differences(report)}\nUse the model that it was made with.`,
    );
  }
  // Costs no copy: a clone shares its data until the variable gets new data.
  const own = parameters.map(({ variable }) => tf.keep(tf.clone<tf.Tensor>(variable)));
  const saved = savedWeights(snapshot);
  for (const { path, variable } of parameters) assign(variable, saved[path]!);
  return () => {
    for (const [index, { variable }] of parameters.entries()) variable.assign(own[index]!);
    tf.dispose(own);
  };
}

/** Whether the snapshot has the weights of this model, each with its shape, and no others. */
export function fitsModel({ parameters }: Pick<Trainable, 'parameters'>, snapshot: Snapshot): boolean {
  const { notLoaded, unused } = compareWeights(parameters, snapshot, '', 'all');
  return notLoaded.length === 0 && unused.length === 0;
}

export function assign(variable: tf.Variable, saved: HostTensor): void {
  const value = fromHost(saved);
  variable.assign(value);
  value.dispose();
}

/** Where the run kept an average of its weights, it was the average that was validated. */
function savedWeights({ model, average = {} }: Snapshot): Readonly<Record<string, HostTensor>> {
  return { ...model, ...average };
}

function compareWeights(
  parameters: readonly Parameter[],
  { model }: Snapshot,
  checkpoint: string,
  filter: WeightFilter,
): LoadReport {
  const paths = parameters.map(({ path }) => path);
  const wanted = filter === 'all' ? paths : paths.filter((path) => matchesPath(filter, path));
  if (wanted.length === 0) throw noSuchWeight(filter, paths);
  const notLoaded = parameters.flatMap(({ path, variable }): WeightNotLoaded[] => {
    const saved = model[path];
    const has = saved && { saved: { shape: saved.shape, dtype: saved.dtype } };
    if (!wanted.includes(path)) return [{ path, why: 'filter', ...has }];
    if (!has) return [{ path, why: 'missing' }];
    if (String(saved.shape) !== String(variable.shape)) return [{ path, why: 'shape', ...has }];
    return saved.dtype === variable.dtype ? [] : [{ path, why: 'dtype', ...has }];
  });
  const left = new Set(notLoaded.map(({ path }) => path));
  return {
    checkpoint,
    loaded: paths.filter((path) => !left.has(path)),
    notLoaded,
    unused: Object.keys(model).filter((path) => !paths.includes(path)),
  };
}

function differences({ notLoaded, unused }: LoadReport): string {
  const words = { missing: 'not in the checkpoint', shape: '', dtype: '', filter: 'not asked for' };
  return [
    ...notLoaded.map(({ path, why, saved }) => {
      const of = why === 'shape' ? `saved with the shape [${saved!.shape}]` : `saved as ${saved?.dtype}`;
      return `  - ${path}: ${words[why] || of}`;
    }),
    ...unused.map((path) => `  - ${path}: not in the model`),
  ].join('\n');
}

function nothingFits(report: LoadReport): Error {
  return trainerError(
    'CHECKPOINT_MISMATCH',
    `Nothing was loaded from ${report.checkpoint}: none of its weights fits the model.\n${differences(report)}\nWeights go by their paths: give the layers the names that they had.`,
  );
}

function noSuchWeight(filter: WeightFilter, paths: readonly string[]): Error {
  const hint = typeof filter === 'string' ? didYouMean(filter, paths) : '';
  return trainerError(
    'BAD_OPTIONS',
    `load(): weights is ${typeof filter === 'function' ? 'a function' : String(filter)}, which no weight of the model matches.${hint} Weights: ${paths.join(', ')}.`,
  );
}
