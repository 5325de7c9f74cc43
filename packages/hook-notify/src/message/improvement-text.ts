import { shortNumber } from '@hookline/hook-api/helpers';
import type { Improvement } from '../improvement.js';
import type { NotifyRules } from '../options.js';
import { count } from './about-run.js';

export function bestText({ monitor }: NotifyRules, value: number, before: number): string {
  return `has a new best ${monitor}: ${shortNumber(value)}, after ${shortNumber(before)}.`;
}

export function plateauText(
  { monitor, minDelta }: NotifyRules,
  { best, bestEpoch, wait }: Improvement,
): string {
  const record = best === undefined ? '' : `; best ${shortNumber(best)} in epoch ${bestEpoch! + 1}`;
  return `is on a plateau: ${monitor} did not improve by ${minDelta} for ${count(wait, 'check')}${record}.`;
}
