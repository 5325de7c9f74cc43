import type { Metrics } from '../context.js';
import type { Snapshot } from '../snapshot.js';
import { decodeJson } from './json-state.js';

/** The metrics as they were when the snapshot was taken; none when it holds the model only. */
export function snapshotMetrics({ state }: Snapshot): Metrics {
  return decodeJson(state?.metrics ?? {}) as Metrics;
}

/** The optimizer steps that were done when the snapshot was taken; undefined when it holds the model only. */
export function snapshotStep({ state }: Snapshot): number | undefined {
  return state?.counters.step;
}
