import { fieldsOf } from './log-line.js';

/** `confusion.json`: how the samples of the latest validation were classified. */
export interface Confusion {
  /** From 1. */
  readonly epoch: number;
  readonly samples: number;
  /** `counts[label][predicted]`. */
  readonly counts: readonly (readonly number[])[];
}

const MOST_CLASSES = 100;

export function isConfusion(content: unknown): content is Confusion {
  const { epoch, samples, counts } = fieldsOf(content);
  if (typeof epoch !== 'number' || typeof samples !== 'number' || !Array.isArray(counts)) return false;
  const { length } = counts;
  const isRow = (row: unknown) =>
    Array.isArray(row) && row.length === length && row.every((count) => Number.isFinite(count));
  return length > 0 && length <= MOST_CLASSES && counts.every(isRow);
}
