import { letterOf } from '../task.js';
import { at, element, round, text } from './svg.js';
import type { Role } from './theme.js';

const TILE = 42;
/** Between the word and the word again. */
const GAP = 16;
/** Fainter looks than this are not drawn. */
const FAINTEST = 0.08;

export interface SequenceArcs {
  letters: readonly number[];
  /** The position of the question, of the same letter before, and of the answer. */
  question: number;
  same: number;
  answer: number;
  /** Where the two heads look, from each position to each. */
  induction: readonly (readonly number[])[];
  previous: readonly (readonly number[])[];
}

/**
 * The sequence as tiles. Above, where the induction head looks when the word is said again; below, where the
 * previous-token head looks. An arc is as strong as the attention that it stands for. Those that lead to the answer of
 * one question are bold.
 */
export function sequenceArcs({ letters, question, same, answer, induction, previous }: SequenceArcs): string {
  const half = letters.length / 2;
  const middle = (position: number) => position * TILE + TILE / 2 + (position < half ? 0 : GAP);
  const arcs = (
    attention: SequenceArcs['induction'],
    role: Role,
    isBold: (to: number, from: number) => boolean,
  ) =>
    attention.flatMap((row, to) =>
      row.flatMap((weight, from) => {
        if (weight < FAINTEST || from === to || (role === 'induction' && to < half)) return [];
        return [arc(middle(to), middle(from), role, isBold(to, from) ? undefined : weight)];
      }),
    );
  const frames: Record<number, Role> = { [question]: 'induction', [answer]: 'induction', [same]: 'previous' };
  return [
    ...arcs(induction, 'induction', (to, from) => to === question && from === answer),
    ...arcs(previous, 'previous', (to, from) => to === answer && from === same),
    ...letters.map((letter, position) =>
      at(middle(position) - TILE / 2, 0, tile(letterOf(letter), frames[position])),
    ),
    text(middle(question), TILE + 28, 'what comes next?', { class: 'small ink middle' }),
    text(middle(same), TILE + 28, 'same letter', { class: 'small ink end' }),
    text(middle(answer) - 8, TILE + 28, 'answer', { class: 'small ink' }),
  ].join('');
}

function tile(letter: string, role: Role | undefined): string {
  const box = { x: 3, y: 0, width: TILE - 6, height: TILE - 6, rx: 7 };
  return [
    element('rect', { ...box, class: 'panel' }),
    element('rect', { ...box, class: `line ${role ?? 'rule'}-line`, 'stroke-width': role ? 2.5 : 1 }),
    text(TILE / 2, 25, letter, { class: 'letter tile strong ink middle' }),
  ].join('');
}

/** Bold without a weight. */
function arc(to: number, from: number, role: Role, weight: number | undefined): string {
  const up = role === 'induction';
  const start = up ? -4 : TILE - 2;
  const reach = 14 + Math.abs(to - from) * 0.23;
  const top = round(up ? start - reach : start + reach);
  return element('path', {
    d: `M${round(to)} ${start}C${round(to)} ${top} ${round(from)} ${top} ${round(from)} ${start}`,
    class: `line ${role}-line`,
    'stroke-width': weight === undefined ? 3.5 : 1.5,
    'stroke-opacity': weight === undefined ? undefined : weight * 0.5,
  });
}
