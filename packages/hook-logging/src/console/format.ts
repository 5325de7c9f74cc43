import type { Metrics } from '@hookline/hook-api';

/** Four significant digits, always; numbers that are very small or large have an exponent, so that none is long. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && size < 0.001 ? value.toExponential(3) : value.toPrecision(4);
}

/** The most characters that a number takes, unless it is negative. */
export const NUMBER_WIDTH = 8;

/** `12,345`. Without `toLocaleString`, whose first call loads tables for 50 ms. */
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
  format: (name: string, value: number) => string = (_, value) => formatNumber(value),
): string[] {
  const groups = new Map<string, string[]>();
  for (const [name, value] of Object.entries(metrics)) {
    const slash = name.indexOf('/');
    const prefix = name.slice(0, Math.max(slash, 0));
    const group = groups.get(prefix) ?? [];
    group.push(`${name.slice(slash + 1)} ${format(name, value)}`);
    groups.set(prefix, group);
  }
  return [...groups].map(([prefix, parts]) => [prefix, ...parts].filter(Boolean).join(' '));
}

/** `1 batch`, `1,200 batches`. */
export function counted(count: number, noun: 'epoch' | 'batch' | 'step'): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : noun === 'batch' ? 'es' : 's'}`;
}

/** `3/10`, padded so that lines stay aligned; `3` when the total is unknown. */
export function outOf(count: number, total: number | undefined): string {
  return total === undefined ? String(count) : `${String(count).padStart(String(total).length)}/${total}`;
}
