import { at, element, text } from './svg.js';

const COLOURS = [
  { class: 'induction', says: 'induction head' },
  { class: 'previous', says: 'previous-token head' },
  { class: 'other', says: 'other heads' },
];
const SHADES = [0.1, 0.3, 0.5, 0.7, 0.9];

/** What the colours mean. Like the other, it ends at x = 0. */
export function colourLegend(): string {
  const rows = COLOURS.map((colour, row) =>
    at(
      -142,
      row * 20,
      element('rect', { y: -10, width: 12, height: 12, rx: 3, class: colour.class }),
      text(20, 0, colour.says, { class: 'small ink' }),
    ),
  );
  return rows.join('');
}

/** What the shades of a head's colour mean. */
export function shadeLegend(): string {
  const start = -SHADES.length * 18 - 10;
  return [
    text(start - 8, 0, 'attention 0', { class: 'small soft end' }),
    ...SHADES.map((shade, index) =>
      element('rect', {
        x: start + index * 18,
        y: -10,
        width: 16,
        height: 12,
        class: 'other',
        'fill-opacity': shade,
      }),
    ),
    text(0, 0, '1', { class: 'small soft end' }),
  ].join('');
}
