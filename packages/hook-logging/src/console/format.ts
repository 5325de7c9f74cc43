import type { Metrics } from '@hookline/hook-api';

/** Four significant digits, always; numbers that are very small or large have an exponent, so that none is long. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && size < 0.001 ? value.toExponential(3) : value.toPrecision(4);
}

/** What a number takes at most, unless it is negative. */
export const NUMBER_WIDTH = 8;

/** `12,345`. Not by `toLocaleString`, which loads tables for 50 ms when it is first called. */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function formatRate(perSecond: number): string {
  return `${perSecond >= 100 ? perSecond.toFixed(0) : perSecond.toPrecision(3)} batch/s`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** `train loss 0.1234 accuracy 0.9800`, one text per prefix, in the order of the metrics. */
export function formatMetrics(
  metrics: Metrics,
  align: (name: string, number: string) => string = (_, number) => number,
): string[] {
  const groups = new Map<string, string[]>();
  for (const [name, value] of Object.entries(metrics)) {
    const slash = name.indexOf('/');
    const prefix = name.slice(0, Math.max(slash, 0));
    const group = groups.get(prefix) ?? [];
    group.push(`${name.slice(slash + 1)} ${align(name, formatNumber(value))}`);
    groups.set(prefix, group);
  }
  return [...groups].map(([prefix, parts]) => [prefix, ...parts].filter(Boolean).join(' '));
}
