import type { SavedRunState } from '@hookline/hook-api';
import type { Finding } from '../finding/finding.js';
import type { BatchShape } from './batch-items.js';

/** The content of `bundle.json`; the tensors are in safetensors files beside it. */
export interface BundleFile {
  readonly format: typeof BUNDLE_FORMAT;
  readonly version: typeof BUNDLE_VERSION;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly run: { id: string; seed: number; configHash: string; gitCommit: string };
  readonly backend: string;
  /** Numbers that JSON cannot hold are text: `"NaN"`, `"Infinity"`. */
  readonly finding: Finding;
  readonly batch: BatchShape;
  /** Items of the batch that no file can hold, such as text. */
  readonly leftOut: readonly string[];
  /** The loss of the batch, as the run had it. */
  readonly loss?: number | string | undefined;
  /** Counters, random state and optimizer settings, as they were before the forward pass of the failing batch. */
  readonly state: Readonly<Partial<Omit<SavedRunState, 'hooks'>>>;
}

export const BUNDLE_FORMAT = 'hookline-debug-bundle';
export const BUNDLE_VERSION = 1;

export const BUNDLE_FILES = {
  description: 'bundle.json',
  model: 'model.safetensors',
  optimizer: 'optimizer.safetensors',
  batch: 'batch.safetensors',
  /** What stateful layers remembered; absent where there are none. */
  states: 'states.safetensors',
} as const;
