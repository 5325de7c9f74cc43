/** Four significant digits, an exponent where the number would be long. */
export function numberText(value: number | undefined): string {
  if (value === undefined) return '';
  if (!Number.isFinite(value)) return String(value);
  const rounded = Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(2).replace('e+', 'e');
  return String(rounded);
}

export function countText(value: number | undefined): string {
  return value === undefined ? '' : String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1.8 s`, `12 min 4 s`, `3 h 12 min`. */
export function durationText(milliseconds: number | undefined): string {
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) return '';
  // Rounded first: otherwise 59.6 s would be 60 s, and 119.7 s 1 min 60 s.
  if (milliseconds < 999.5) return `${Number(milliseconds.toPrecision(3))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.5) return `${Number(seconds.toPrecision(2))} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `2026-11-18 02:51` of an ISO date, in UTC. */
export function dateText(iso: string | undefined): string {
  return iso === undefined ? '' : iso.slice(0, 16).replace('T', ' ');
}
