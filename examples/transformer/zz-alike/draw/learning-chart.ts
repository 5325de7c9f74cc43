import { at, element, round, text } from './svg.js';

export interface Curve {
  name: string;
  class: string;
  dash?: string;
  values: readonly number[];
}

const WIDTH = 470;
const HEIGHT = 216;

/** Curves from 0 to 1 over the steps of training, each named where it ends. */
export function learningChart(steps: readonly number[], curves: readonly Curve[]): string {
  const last = steps.at(-1)!;
  const x = (step: number) => (step / last) * WIDTH;
  const y = (value: number) => HEIGHT * (1 - value);
  const grid = [0, 0.5, 1].map((value) =>
    [
      element('line', { x1: 0, x2: WIDTH, y1: y(value), y2: y(value), class: 'rule-line' }),
      text(-8, y(value) + 4, value === 0.5 ? '0.5' : String(value), { class: 'soft end' }),
    ].join(''),
  );
  const ticks = [0, last / 2, last].map((step) =>
    text(x(step), HEIGHT + 20, String(step), { class: 'soft middle' }),
  );
  const lines = curves.map(({ values, class: name, dash }) => {
    const points = values.map((value, index) => `${round(x(steps[index]!))} ${round(y(value))}`);
    return element('polyline', {
      points: points.join(' '),
      class: `line ${name}-line`,
      'stroke-width': 2.5,
      'stroke-dasharray': dash,
    });
  });
  return [
    ...grid,
    ...ticks,
    text(WIDTH / 2, HEIGHT + 38, 'steps of training', { class: 'soft middle' }),
    ...lines,
    legend(curves),
  ].join('');
}

function legend(curves: readonly Curve[]): string {
  return at(
    14,
    24,
    ...curves.map(({ name, class: colour, dash }, row) =>
      at(
        0,
        row * 21,
        element('line', {
          x1: 0,
          x2: 24,
          y1: 0,
          y2: 0,
          class: `line ${colour}-line`,
          'stroke-width': 2.5,
          'stroke-dasharray': dash,
        }),
        text(32, 4, name, { class: 'ink' }),
      ),
    ),
  );
}
