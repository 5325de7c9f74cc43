// Everything that comes from a run is set as text, never as HTML.

/**
 * An element with its properties and children; strings become text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} properties
 * @param {(Node | string | undefined | false)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(
    ...children.filter(
      (/** @type {Node | string | undefined | false} */ child) => child !== undefined && child !== false,
    ),
  );
  return element;
}

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no ${id}.`);
  return element;
}

/**
 * Four significant digits, an exponent where the number would be long.
 * @param {number | null | undefined} value
 */
export function numberText(value) {
  if (value === undefined || value === null) return '';
  const rounded = Number(value.toPrecision(4));
  const size = Math.abs(rounded);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return value.toExponential(2).replace('e+', 'e');
  return String(rounded);
}

/**
 * `1.8 s`, `12 min 4 s`, `3 h 12 min`.
 * @param {number | undefined} milliseconds
 */
export function durationText(milliseconds) {
  if (milliseconds === undefined) return '';
  // Rounded first: `60.0 s` is a minute.
  if (milliseconds < 999.5) return `${Number(milliseconds.toPrecision(3))} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
