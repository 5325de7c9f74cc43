import { isBetter, shortNumber } from '@hookline/hook-api/helpers';
import type { EarlyStoppingRules } from './options.js';

/** What is known after the checks so far. */
export interface StoppingRecord {
  best: number | undefined;
  /** From 0, as in `ctx.state.epoch`. */
  bestEpoch: number | undefined;
  /** Checks in a row without improvement. */
  wait: number;
  stoppedEpoch: number | undefined;
}

export interface Verdict {
  record: StoppingRecord;
  improved: boolean;
  /** Why the run should stop; undefined when it should not. */
  reason: string | undefined;
}

export const NO_RECORD: StoppingRecord = {
  best: undefined,
  bestEpoch: undefined,
  wait: 0,
  stoppedEpoch: undefined,
};

type Rules = Pick<
  EarlyStoppingRules,
  | 'monitor'
  | 'mode'
  | 'minDelta'
  | 'patience'
  | 'checkFinite'
  | 'baseline'
  | 'stoppingThreshold'
  | 'divergenceThreshold'
>;

/** One check: takes the value into the record and says whether to stop. Pure. */
export function judge(record: StoppingRecord, value: number, epoch: number, rules: Rules): Verdict {
  const counts = Number.isFinite(value) || !rules.checkFinite;
  const improved = counts && isBetter(value, record.best, rules);
  const { best, bestEpoch } = improved ? { best: value, bestEpoch: epoch } : record;
  // A best that has not passed the baseline is kept for its weights, but does not reset the patience.
  const rewarded = improved && (rules.baseline === undefined || isBetter(value, rules.baseline, rules));
  const wait = rewarded ? 0 : record.wait + 1;
  const reason = reasonToStop(value, { best, bestEpoch, wait, stoppedEpoch: undefined }, rules);
  const stoppedEpoch = reason === undefined ? record.stoppedEpoch : epoch;
  return { record: { best, bestEpoch, wait, stoppedEpoch }, improved, reason };
}

function reasonToStop(
  value: number,
  { best, bestEpoch, wait }: StoppingRecord,
  rules: Rules,
): string | undefined {
  const { monitor, mode, minDelta, patience, baseline, stoppingThreshold, divergenceThreshold } = rules;
  const isWorse = (a: number, b: number) => (mode === 'min' ? a > b : a < b);
  const record = best === undefined ? '' : `; best ${shortNumber(best)} at epoch ${bestEpoch! + 1}`;

  if (rules.checkFinite && !Number.isFinite(value)) return `${monitor} is ${value}${record}`;
  if (stoppingThreshold !== undefined && !Number.isNaN(value) && !isWorse(value, stoppingThreshold)) {
    return `${monitor} reached ${shortNumber(value)}, as good as the stopping threshold ${stoppingThreshold}`;
  }
  if (divergenceThreshold !== undefined && isWorse(value, divergenceThreshold)) {
    return `${monitor} is ${shortNumber(value)}, worse than the divergence threshold ${divergenceThreshold}${record}`;
  }
  if (wait < patience) return undefined;
  const beaten = best !== undefined && (baseline === undefined || isBetter(best, baseline, rules));
  const goal = beaten || baseline === undefined ? 'improve' : `get better than the baseline ${baseline}`;
  return `${monitor} did not ${goal} by ${minDelta} for ${wait} ${wait === 1 ? 'check' : 'checks'}${record}`;
}
