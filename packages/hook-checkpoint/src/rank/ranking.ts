import { isBetter } from '@hookline/hook-api/helpers';

/** The value of one metric at the moment of a checkpoint. */
export interface Rating {
  readonly monitor: string;
  readonly mode: 'min' | 'max';
  readonly value: number;
}

/** Of checkpoints that are compared: their order of saving, and the metrics that were known for them. */
export interface Rated {
  readonly sequence: number;
  readonly ratings: readonly Rating[];
}

export interface RankingRule {
  readonly monitor: string;
  readonly mode: 'min' | 'max';
  readonly saveTopK: number;
}

/** The rating by this metric. NaN and infinity do not rate, whatever the mode. */
export function ratingBy(
  { monitor, mode }: RankingRule,
  { ratings }: Pick<Rated, 'ratings'>,
): Rating | undefined {
  return ratings.find(
    (each) => each.monitor === monitor && each.mode === mode && Number.isFinite(each.value),
  );
}

/** Those that have a value of the metric, the best first; of equal ones the older, which was there before. */
export function ranked<Entry extends Rated>(entries: readonly Entry[], rule: RankingRule): Entry[] {
  const sign = rule.mode === 'min' ? 1 : -1;
  const worth = (entry: Entry) => sign * ratingBy(rule, entry)!.value;
  return entries
    .filter((entry) => ratingBy(rule, entry))
    .sort((a, b) => worth(a) - worth(b) || a.sequence - b.sequence);
}

/** Whether a new checkpoint with these ratings would be among the best by this metric. */
export function isAmongBest(
  ratings: readonly Rating[],
  entries: readonly Rated[],
  rule: RankingRule,
): boolean {
  const { mode, saveTopK } = rule;
  const rating = ratingBy(rule, { ratings });
  if (!rating || saveTopK === 0) return false;
  const top = ranked(entries, rule).slice(0, Math.max(0, saveTopK));
  if (saveTopK < 0 || top.length < saveTopK) return true;
  return isBetter(rating.value, ratingBy(rule, top.at(-1)!)!.value, { mode, minDelta: 0 });
}
