import type { SharedMap } from '@hookline/hook-api';
import { type Histogram, histogramsKey } from '@hookline/hook-api/helpers';

/** With nobody to take them, the oldest are dropped. */
const MOST_KEPT = 1000;

/** For loggers to take. */
export function leaveHistograms(shared: SharedMap, histograms: readonly Histogram[]): void {
  const list = shared.get(histogramsKey) ?? [];
  list.push(...histograms);
  if (list.length > MOST_KEPT) list.splice(0, list.length - MOST_KEPT);
  shared.set(histogramsKey, list);
}
