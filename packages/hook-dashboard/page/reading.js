import { numberText } from './dom.js';

/** @typedef {ArrayLike<number | null | undefined>} Values */

/**
 * Where a key leads from a point of a chart; undefined for other keys, and where there are no points.
 * @param {string} key
 * @param {number} at
 * @param {number} last
 */
export function placeAfter(key, at, last) {
  const places = new Map([
    ['ArrowLeft', at - 1],
    ['ArrowRight', at + 1],
    ['PageUp', at - 10],
    ['PageDown', at + 10],
    ['Home', 0],
    ['End', last],
  ]);
  const place = places.get(key);
  return place === undefined || last < 0 ? undefined : Math.max(0, Math.min(place, last));
}

/**
 * What is read out at a point: the value of every line.
 * @param {string} title
 * @param {readonly { label: string }[]} lines
 * @param {readonly Values[]} data The steps, and the values of each line.
 * @param {number} index
 */
export function readOut(title, lines, [steps = [], ...values], index) {
  const told = lines.map(({ label }, line) => `${label} ${nearest(values[line] ?? [], index)}`);
  return `${title}, step ${steps[index]}: ${told.join(', ')}`;
}

/**
 * Lines have their own steps: the latest value up to here.
 * @param {Values} values
 * @param {number} index
 */
export function nearest(values, index) {
  for (let at = index; at >= 0; at--) {
    const value = values[at];
    if (value !== null && value !== undefined) return numberText(value);
  }
  return 'no value';
}
