/** Always four significant digits, so that the line keeps its width. */
export function formatNumber(value: number): string {
  return value.toPrecision(4);
}

export function formatRate(perSecond: number): string {
  return `${perSecond >= 100 ? perSecond.toFixed(0) : perSecond.toPrecision(3)} batch/s`;
}

/** `0:07`, `12:34`, `1:02:03`. */
export function formatClock(seconds: number): string {
  const whole = Math.round(seconds);
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
