import type { Metrics } from '@hookline/hook-api';

/**
 * A line of `log.jsonl`, as json-log writes it. Everything but the event is optional: the file may come from anywhere,
 * and whoever reads a field checks it.
 */
export interface LogLine {
  readonly event: string;
  readonly time?: unknown;
  readonly run?: unknown;
  readonly epoch?: unknown;
  readonly step?: unknown;
  readonly [field: string]: unknown;
}

/** Undefined for what is not a line of a log. */
export function parseLine(text: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof (line as LogLine | null)?.event === 'string' ? (line as LogLine) : undefined;
  } catch {
    return undefined;
  }
}

/** JSON has no NaN: a number that is not finite is written as a string. Undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : undefined;
}

export function metricsOf(value: unknown): Metrics {
  const entries = Object.entries(Object(value) as object).map(([name, each]) => [name, numberOf(each)]);
  return Object.fromEntries(entries.filter(([, number]) => number !== undefined));
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Record<string, unknown>;
}
