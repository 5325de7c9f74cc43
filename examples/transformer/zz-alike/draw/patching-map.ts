import { letterOf } from '../task.js';
import { at, element, text, tooltip } from './svg.js';
import type { Role } from './theme.js';

export interface PatchingRow {
  name: string;
  role: Role;
  /** How much of the right answer comes back, for each position. */
  recovered: readonly number[];
}

export interface PatchingMap {
  letters: readonly number[];
  /** The letter that takes the place of the one at position `same`. */
  spoilt: number;
  same: number;
  answer: number;
  question: number;
  rows: readonly PatchingRow[];
}

const LEFT = 150;
const COLUMN = 36;
const ROW = 25;

/**
 * Which clean activation mends the spoilt sequence: a row for each tap point, a column for each position. The line
 * follows the answer: down while it stays at a position, aside where a head carries it to another.
 */
export function patchingMap({ letters, spoilt, same, answer, question, rows }: PatchingMap): string {
  const rowOf = (role: Role) => rows.findIndex((row) => row.role === role) * ROW + ROW / 2;
  const stops = [same, answer, question].map(middle);
  const way = `M${stops[0]} ${ROW / 2}V${rowOf('previous')}H${stops[1]}V${rowOf('induction')}H${stops[2]}V${(rows.length - 0.5) * ROW}`;
  return [
    ...letters.map((letter, position) =>
      position === same
        ? text(middle(position), -28, letterOf(letter), { class: 'letter spelled spoilt soft middle' }) +
          text(middle(position), -10, letterOf(spoilt), { class: 'letter spelled strong ink middle' })
        : text(middle(position), -10, letterOf(letter), { class: 'letter spelled strong ink middle' }),
    ),
    ...rows.map((_, row) => at(LEFT, row * ROW, background(letters.length))),
    element('path', { d: way, class: 'line soft-line', 'stroke-width': 2 }),
    ...rows.map(({ name, role, recovered }, row) =>
      at(
        0,
        row * ROW,
        text(LEFT - 14, 17, name, { class: `end ${role === 'other' ? 'ink' : `${role} strong`}` }),
        ...recovered.map((share, position) => cell(name, share, position, role)),
      ),
    ),
  ].join('');
}

function middle(position: number): number {
  return LEFT + (position + 0.5) * COLUMN;
}

function background(columns: number): string {
  const cells = Array.from({ length: columns }, (_, column) => `M${column * COLUMN + 1} 1h34v23h-34z`);
  return element('path', { d: cells.join(''), class: 'panel' });
}

/** Solid, so that the line does not show through; what is near nothing is left to the background. */
function cell(name: string, share: number, position: number, role: Role): string {
  const box = { x: LEFT + position * COLUMN + 1, y: 1, width: COLUMN - 2, height: ROW - 2, rx: 3 };
  const shown = Math.min(Math.max(share, 0), 1);
  const colour = role === 'other' ? 'recovered' : role;
  return [
    shown < 0.1 ? '' : element('rect', { ...box, class: 'page' }),
    element(
      'rect',
      { ...box, class: `${colour} patching-cell`, 'fill-opacity': shown },
      tooltip(`${name}, position ${position}: ${share.toFixed(2)}`),
    ),
    shown < 0.1
      ? ''
      : text(middle(position), 17, shown.toFixed(2), {
          class: `small middle ${shown > 0.5 ? 'page' : 'ink'}`,
        }),
  ].join('');
}
