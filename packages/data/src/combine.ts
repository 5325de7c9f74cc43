import { dataError } from './errors.js';
import { type Mix, type MixOptions, mixOf } from './feed/mix.js';
import type { Source } from './sources.js';

// From the global registry instead of `instanceof`: two copies of this package are normal under pnpm.
const COMBINED: unique symbol = Symbol.for('hookline.combined');

/** Several sources by name, and the order in which their batches come. */
export interface CombinedData {
  readonly [COMBINED]: Mix;
  readonly sources: Readonly<Record<string, Source>>;
}

/**
 * Trains on several sources at once: `fit({ train: combine({ real, synthetic }, { strategy: 'roundRobin' }) })`. In
 * validation and test every loader is read once, whatever the strategy.
 */
export function combine(sources: Readonly<Record<string, Source>>, options: MixOptions = {}): CombinedData {
  if (typeof sources !== 'object' || sources === null || Array.isArray(sources) || 'xs' in sources) {
    throw dataError('BAD_OPTIONS', 'combine() expects sources by name: combine({ real, synthetic }).');
  }
  return { [COMBINED]: mixOf(Object.keys(sources), options), sources };
}

/** The mix that the data asks for, if it was combined. */
export function mixIn(data: unknown): Mix | undefined {
  return isCombined(data) ? data[COMBINED] : undefined;
}

export function isCombined(data: unknown): data is CombinedData {
  return typeof data === 'object' && data !== null && COMBINED in data;
}
