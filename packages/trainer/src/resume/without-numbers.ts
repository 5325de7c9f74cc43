import type { Snapshot } from '@hookline/hook-api';

/**
 * The snapshot without what was measured with a model or a loss that this run does not have: metrics, best, states of
 * hooks, and the part of the epoch that was done. Taken over, they would be reported as this run's own, and hooks would
 * judge it by them.
 */
export function withoutNumbers({ hooks: _hooks, partial: _partial, ...snapshot }: Snapshot): Snapshot {
  if (!snapshot.state) return snapshot;
  const { progress: _progress, numbers: _numbers, ...state } = snapshot.state;
  const counters = { ...state.counters, batchesDone: 0, batchIndex: 0, stepBegun: false, next: 'batch' };
  return { ...snapshot, state: { ...state, counters, metrics: {}, logged: {}, hooks: {}, loaders: null } };
}
