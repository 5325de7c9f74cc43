import type { SharedMap } from '@hookline/hook-api';
import { type Histogram, histogramsKey } from '@hookline/hook-api/helpers';

/** Those that hooks left since the last time; they are taken away. */
export function takeHistograms(shared: SharedMap): Histogram[] {
  return shared.get(histogramsKey)?.splice(0) ?? [];
}
