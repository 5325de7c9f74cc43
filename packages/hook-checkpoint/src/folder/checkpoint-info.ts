import type { JsonValue } from '@hookline/hook-api';
import type { Rating } from '../rank/ranking.js';

/** What the manifest of a checkpoint says about it. */
export interface CheckpointInfo {
  readonly kind: 'hookline-checkpoint';
  readonly version: 1;
  /** Counts the checkpoints of a folder in the order in which they were saved; clocks may go backwards. */
  readonly sequence: number;
  /** The id of the run that began it; runs that resume it have the same lineage. */
  readonly lineage: string;
  readonly run: string;
  readonly experiment: string;
  /** ISO 8601, UTC. */
  readonly savedAt: string;
  readonly reason: string;
  /** From 0, as in `ctx.state`. */
  readonly epoch: number;
  readonly completedEpochs: number;
  readonly step: number;
  /** By the first metric that ranks. Absent when it was not known, or not finite, at this very step. */
  readonly rating?: Rating;
  /** By every metric that was known, where several rank. */
  readonly ratings?: readonly Rating[];
  /** The latest values; numbers that JSON cannot hold are text. */
  readonly metrics: { readonly [name: string]: number | string };
  readonly format: 'safetensors' | 'tfjs';
  /** The fields of the snapshot that are neither tensors nor `state`. */
  readonly fields: { readonly [name: string]: JsonValue };
}

export function isCheckpointInfo(info: unknown): info is CheckpointInfo {
  const { kind, version, sequence, lineage } = Object(info) as Partial<CheckpointInfo>;
  return (
    kind === 'hookline-checkpoint' &&
    version === 1 &&
    typeof sequence === 'number' &&
    typeof lineage === 'string'
  );
}

export function ratingsOf({ rating, ratings }: CheckpointInfo): readonly Rating[] {
  return ratings ?? (rating ? [rating] : []);
}
