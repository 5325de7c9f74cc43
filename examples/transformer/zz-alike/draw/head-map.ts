import { letterOf } from '../task.js';
import { at, element, namedText, round, text } from './svg.js';
import type { Role } from './theme.js';

const CELL = 9.5;
/** Weights are drawn in this many shades; one path for each keeps the picture small. */
const SHADES = 20;

export interface HeadMap {
  name: string;
  role: Role;
  letters: readonly number[];
  /** From each position (row) to each (column). */
  attention: readonly (readonly number[])[];
  previous: number;
  induction: number;
}

/** Where a head looks: a row for each letter, from top to bottom, a column for each letter that it may look at. */
export function headMap({ name, role, letters, attention, previous, induction }: HeadMap): string {
  const size = letters.length * CELL;
  const labels = letters.flatMap((letter, index) => {
    const middle = (index + 0.5) * CELL;
    return [
      text(-7, middle + 3, letterOf(letter), { class: 'letter tiny soft middle' }),
      text(middle, -4, letterOf(letter), { class: 'letter tiny soft middle' }),
    ];
  });
  return [
    namedText(0, -19, name, KIND[role], { class: role }),
    element('rect', { width: size, height: size, class: 'panel' }),
    // Where the word begins again.
    element('path', { d: `M0 ${size / 2}H${size}M${size / 2} 0V${size}`, class: 'rule-line' }),
    ...labels,
    ...shadesOf(attention, role),
    at(0, size + 13, scoreBar('previous', previous, size)),
    at(0, size + 31, scoreBar('induction', induction, size)),
  ].join('');
}

const KIND: Record<Role, string> = {
  induction: 'induction head',
  previous: 'previous-token head',
  other: '',
};

function shadesOf(attention: HeadMap['attention'], role: Role): string[] {
  const cells = Array.from({ length: SHADES + 1 }, () => '');
  for (const [to, row] of attention.entries()) {
    for (const [from, weight] of row.entries()) {
      cells[Math.round(weight * SHADES)] +=
        `M${round(from * CELL + 0.25)} ${round(to * CELL + 0.25)}h9v9h-9z`;
    }
  }
  return cells.flatMap((path, shade) =>
    shade === 0 || path === ''
      ? []
      : [element('path', { d: path, class: role, 'fill-opacity': shade / SHADES })],
  );
}

/** A score from 0 to 1 as a bar with its number. */
function scoreBar(name: 'previous' | 'induction', score: number, width: number): string {
  const bar = { x: 66, y: 1, height: 8, rx: 4 };
  const whole = width - bar.x - 38;
  return [
    text(0, 9, name, { class: 'small soft' }),
    element('rect', { ...bar, width: whole, class: 'panel' }),
    element('rect', { ...bar, width: Math.max(score * whole, 3), class: `${name} score-cell` }),
    text(width, 9, score.toFixed(2), { class: 'small ink end' }),
  ].join('');
}
