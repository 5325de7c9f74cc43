import type { JsonValue, LoadedHookState } from '@hookline/hook-api';
import { foreignState } from '@hookline/hook-api/helpers';
import { type Episodes, TROUBLES, type Trouble } from './episodes.js';

/** `{ "vanishing": { "dense_1": 101 }, ... }`: layer and the step at which it was first seen. */
export function saveEpisodes(episodes: Episodes): JsonValue {
  return Object.fromEntries(TROUBLES.map((trouble) => [trouble, Object.fromEntries(episodes[trouble])]));
}

export function loadEpisodes(hook: string, state: LoadedHookState): Episodes {
  const saved = state as Record<Trouble, Record<string, number>> | null;
  const isOwn = TROUBLES.every((trouble) => {
    const steps = saved?.[trouble];
    return typeof steps === 'object' && steps !== null && Object.values(steps).every(Number.isInteger);
  });
  if (!isOwn) throw foreignState(hook, state, '{ vanishing, exploding, nonfinite }');
  return Object.fromEntries(
    TROUBLES.map((trouble) => [trouble, new Map(Object.entries(saved![trouble]))]),
  ) as unknown as Episodes;
}
