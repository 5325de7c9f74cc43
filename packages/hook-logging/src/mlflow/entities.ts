import type { Metrics } from '@hookline/hook-api';
import type { FlatConfig } from '../service/run-config.js';

export interface MlflowMetric {
  key: string;
  value: number;
  /** Milliseconds since 1970. */
  timestamp: number;
  step: number;
}

export interface MlflowTag {
  key: string;
  value: string;
}

/** The most that one request may hold, from the documentation of the REST interface; far below its limit of 1 MB. */
export const MOST_METRICS = 1000;
export const MOST_PARAMS = 100;

const LONGEST_KEY = 250;
/** Servers of today accept 6000; older ones accept this. */
const LONGEST_PARAM = 500;
const LONGEST_TAG = 5000;

/** Numbers that are not finite cannot be sent; they are returned by name. */
export function metricsOf(
  metrics: Metrics,
  { time, step }: { time: number; step: number },
): { sent: MlflowMetric[]; notFinite: string[] } {
  const entries = Object.entries(metrics);
  return {
    sent: entries
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => ({ key: keyOf(name), value, timestamp: time, step })),
    notFinite: entries.filter(([, value]) => !Number.isFinite(value)).map(([name]) => name),
  };
}

export function paramsOf(config: FlatConfig): MlflowTag[] {
  return Object.entries(config).map(([name, value]) => ({
    key: keyOf(name),
    value: cut(String(value), LONGEST_PARAM),
  }));
}

export function tagOf(key: string, value: string): MlflowTag {
  return { key: keyOf(key), value: cut(value, LONGEST_TAG) };
}

export function chunksOf<Item>(items: readonly Item[], most: number): Item[][] {
  const chunks: Item[][] = [];
  for (let start = 0; start < items.length; start += most) chunks.push(items.slice(start, start + most));
  return chunks;
}

/** Servers accept letters, digits and `_-. :/`, and refuse a path that could be written shorter. */
function keyOf(name: string): string {
  const plain = name.replace(/[^\w\-. :/]/g, '_').replace(/(^|\/)(?=\.{0,2}(\/|$))/g, '$1_');
  return cut(plain, LONGEST_KEY);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length);
}
