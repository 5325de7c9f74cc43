import { HooklineError, type JsonValue, type LoadedHookState } from '@hookline/hook-api';
import { type Episodes, TROUBLES, type Trouble } from './episodes.js';

/** `{ "vanishing": { "dense_1": 101 }, ... }`: layer and the step at which it was first seen. */
export function saveEpisodes(episodes: Episodes): JsonValue {
  return Object.fromEntries(TROUBLES.map((trouble) => [trouble, Object.fromEntries(episodes[trouble])]));
}

export function loadEpisodes(state: LoadedHookState): Episodes {
  const saved = state as Record<Trouble, Record<string, number>> | null;
  const isOwn = TROUBLES.every((trouble) => {
    const steps = saved?.[trouble];
    return typeof steps === 'object' && steps !== null && Object.values(steps).every(Number.isInteger);
  });
  if (!isOwn) {
    throw new HooklineError(
      'HOOK_STATE',
      `Hook "gradient-monitor" was given a saved state that is not its own: ${JSON.stringify(state)}. ` +
        'Expected { vanishing, exploding, nonfinite }. Start it afresh by leaving the state out.',
    );
  }
  return Object.fromEntries(
    TROUBLES.map((trouble) => [trouble, new Map(Object.entries(saved![trouble]))]),
  ) as unknown as Episodes;
}
