import type { Metrics } from '@hookline/hook-api';

/** Four significant digits, always: columns of numbers stay calm. */
export function formatNumber(value: number): string {
  return value.toPrecision(4);
}

/** For settings such as a learning rate: four significant digits, without trailing zeros. */
export function formatSetting(value: number): string {
  return String(Number(value.toPrecision(4)));
}

export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
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
export function formatMetrics(metrics: Metrics): string[] {
  const groups = new Map<string, string[]>();
  for (const [name, value] of Object.entries(metrics)) {
    const slash = name.indexOf('/');
    const prefix = name.slice(0, Math.max(slash, 0));
    const group = groups.get(prefix) ?? [];
    group.push(`${name.slice(slash + 1)} ${formatNumber(value)}`);
    groups.set(prefix, group);
  }
  return [...groups].map(([prefix, parts]) => [prefix, ...parts].filter(Boolean).join(' '));
}
