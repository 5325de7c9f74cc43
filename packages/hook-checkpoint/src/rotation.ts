import { isRanked, type RankingRules, type Rated, ranked } from './ranking.js';

export interface Rotatable extends Rated {
  /** The run, with all that resumed it, which the checkpoint belongs to. */
  readonly lineage: string;
  readonly path: string;
}

export interface RotationRules extends RankingRules {
  readonly lineage: string;
  /** Never removed: the checkpoint that the run resumed from, and what the pointers name. */
  readonly keep: readonly (string | undefined)[];
}

/**
 * The checkpoints that may go: all of this run's, without those that are protected. What another run left in the
 * folder, and what was ranked by another metric, cannot be judged here and stays.
 */
export function expendable<Entry extends Rotatable>(
  entries: readonly Entry[],
  rules: RotationRules,
): Entry[] {
  const own = entries.filter(({ lineage }) => lineage === rules.lineage);
  // The newest stays even where `saveLast` is off: it may be all there is of a run that was just interrupted.
  const kept = new Set<Entry>([...best(own, rules), ...byAge(own).slice(0, 1)]);
  for (const entry of own) {
    const isOfAnotherMetric = entry.rating !== undefined && !isRanked(entry, rules);
    if (isOfAnotherMetric || rules.keep.includes(entry.path)) kept.add(entry);
  }
  return own.filter((entry) => !kept.has(entry));
}

/** Places that nothing ranked has taken yet go to the newest: an older one is there when the newest is damaged. */
function best<Entry extends Rotatable>(own: readonly Entry[], rules: RotationRules): Entry[] {
  if (rules.saveTopK < 0) return [...own];
  const unranked = own.filter((entry) => !isRanked(entry, rules));
  return [...ranked(own, rules), ...byAge(unranked)].slice(0, rules.saveTopK);
}

/** The newest first. */
export function byAge<Entry extends Rated>(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => b.sequence - a.sequence);
}
