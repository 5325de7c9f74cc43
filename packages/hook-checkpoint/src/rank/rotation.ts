import { type RankingRule, type Rated, ranked, ratingBy } from './ranking.js';

export interface Rotatable extends Rated {
  /** The run, with all that resumed it, that the checkpoint belongs to. */
  readonly lineage: string;
  readonly path: string;
}

export interface RotationRules {
  readonly monitors: readonly RankingRule[];
  readonly lineage: string;
  /** Never removed: the checkpoint that the run resumed from, and what the pointers name. */
  readonly keep: readonly (string | undefined)[];
}

/**
 * The checkpoints that may go: those of this run that no monitor has among its best, and that are not protected. What
 * another run left in the folder, and what was ranked by other metrics only, cannot be judged here and stays.
 */
export function expendable<Entry extends Rotatable>(
  entries: readonly Entry[],
  { monitors, lineage, keep }: RotationRules,
): Entry[] {
  const own = entries.filter((entry) => entry.lineage === lineage);
  // The newest stays even where `saveLast` is off: it may be all there is of a run that was just interrupted.
  const kept = new Set<Entry>([...monitors.flatMap((rule) => best(own, rule)), ...byAge(own).slice(0, 1)]);
  for (const entry of own) {
    const isRanked = monitors.some((rule) => ratingBy(rule, entry));
    const isOfAnotherMetric = entry.ratings.length > 0 && !isRanked;
    if (isOfAnotherMetric || keep.includes(entry.path)) kept.add(entry);
  }
  return own.filter((entry) => !kept.has(entry));
}

/** Places that nothing ranked has taken yet go to the newest: an older one is there when the newest is damaged. */
function best<Entry extends Rotatable>(own: readonly Entry[], rule: RankingRule): Entry[] {
  if (rule.saveTopK < 0) return [...own];
  const unranked = own.filter((entry) => !ratingBy(rule, entry));
  return [...ranked(own, rule), ...byAge(unranked)].slice(0, rule.saveTopK);
}

/** The newest first. */
export function byAge<Entry extends Rated>(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => b.sequence - a.sequence);
}
