import { type SharedKey, type SharedMap, sharedKey } from '@hookline/hook-api';

/** A histogram that a hook left for loggers. */
export interface Histogram {
  readonly name: string;
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly num: number;
  readonly sum: number;
  readonly sumSquares: number;
  /** One more than there are counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

// Keys are equal by name: the hooks that leave histograms have the same one, and neither package imports the other.
const histogramsKey: SharedKey<Histogram[]> = sharedKey('hookline.histograms');

/** Those that were left since the last time; they are taken away. */
export function takeHistograms(shared: SharedMap): Histogram[] {
  return shared.get(histogramsKey)?.splice(0) ?? [];
}
