import { isBetter } from '@hookline/hook-api/helpers';

/** What a checkpoint was found to be worth. */
export interface Rating {
  readonly monitor: string;
  readonly mode: 'min' | 'max';
  readonly value: number;
}

/** Of checkpoints that are compared: their order of saving, and what they are worth where that is known. */
export interface Rated {
  readonly sequence: number;
  readonly rating?: Rating | undefined;
}

export interface RankingRules {
  readonly monitor: string;
  readonly mode: 'min' | 'max';
  readonly saveTopK: number;
}

/** Those that have a value of the monitored metric, the best first; of equal ones the older, which was there before. */
export function ranked<Entry extends Rated>(entries: readonly Entry[], rules: RankingRules): Entry[] {
  const { mode } = rules;
  const worth = ({ rating }: Entry) => (mode === 'min' ? rating!.value : -rating!.value);
  return entries
    .filter((entry) => isRanked(entry, rules))
    .sort((a, b) => worth(a) - worth(b) || a.sequence - b.sequence);
}

/** NaN and infinity are worth nothing, whatever the mode. */
export function isRanked({ rating }: Rated, { monitor, mode }: RankingRules): boolean {
  return rating?.monitor === monitor && rating.mode === mode && Number.isFinite(rating.value);
}

/** Whether a new checkpoint of this value would be among the best. */
export function isAmongBest(value: number, entries: readonly Rated[], rules: RankingRules): boolean {
  const { mode, saveTopK } = rules;
  if (saveTopK === 0 || !Number.isFinite(value)) return false;
  const top = saveTopK < 0 ? [] : ranked(entries, rules).slice(0, saveTopK);
  return (
    top.length < saveTopK || saveTopK < 0 || isBetter(value, top.at(-1)!.rating!.value, { mode, minDelta: 0 })
  );
}
