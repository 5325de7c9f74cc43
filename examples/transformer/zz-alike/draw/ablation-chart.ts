import { percent } from '../percent.js';
import { at, element, text, tooltip } from './svg.js';
import type { Role } from './theme.js';

export interface AblationBar {
  /** Of the head that is taken away. */
  name: string;
  role: Role;
  accuracy: number;
}

const LEFT = 92;
const WIDTH = 320;
const ROW = 25;

/** How often the model is right without each head, with a line where blind guessing would be. */
export function ablationChart(bars: readonly AblationBar[], chance: number): string {
  const bottom = bars.length * ROW;
  return [
    ...bars.map(({ name, role, accuracy }, row) =>
      at(
        0,
        row * ROW,
        text(LEFT - 12, 15, name, { class: `end ${role === 'other' ? 'ink' : `${role} strong`}` }),
        element('rect', { x: LEFT, y: 2, width: WIDTH, height: ROW - 7, rx: 3, class: 'panel' }),
        element(
          'rect',
          {
            x: LEFT,
            y: 2,
            width: accuracy * WIDTH,
            height: ROW - 7,
            rx: 3,
            class: `${role} ablation-cell`,
            'fill-opacity': role === 'other' ? 0.5 : undefined,
          },
          tooltip(`${name}: ${percent(accuracy)}`),
        ),
        text(LEFT + WIDTH + 12, 15, percent(accuracy), { class: 'ink' }),
      ),
    ),
    element('line', {
      x1: LEFT + chance * WIDTH,
      x2: LEFT + chance * WIDTH,
      y1: -4,
      y2: bottom + 2,
      class: 'ink-line',
      'stroke-dasharray': '3 3',
    }),
    text(LEFT + chance * WIDTH - 2, bottom + 17, `chance ${percent(chance)}`, { class: 'soft' }),
  ].join('');
}
