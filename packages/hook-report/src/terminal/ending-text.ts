import { type RunView, thin } from '@hookline/run-view';
import { numberText } from '../page/format.js';
import { brailleCurve } from './braille.js';
import { openingLines } from './opening.js';

const [WIDTH, HEIGHT] = [28, 5];

/** What is printed when a run is over: its loss as a small curve, and where its page is. */
export function endingText(run: RunView, file: string | undefined): string {
  const panels = lossNames(run).map((name) => panelOf(run, name));
  const rows =
    panels.length === 0
      ? []
      : panels[0]!.map((_, row) =>
          panels
            .map((panel) => panel[row])
            .join('   ')
            .trimEnd(),
        );
  const curves = rows.map((row) => `${harmless(row)}\n`).join('');
  return `${curves === '' ? '' : `\n${curves}\n`}${bestLine(run)}${file === undefined ? '' : openingLines(file)}`;
}

/** Names come from data and plugins: they must not steer the terminal. */
function harmless(text: string): string {
  return text.replace(/\p{Control}/gu, ' ');
}

function bestLine({ best }: RunView): string {
  return best ? `Best    ${harmless(best.metric)} ${numberText(best.value)} in epoch ${best.epoch}\n` : '';
}

/** Training and validation, by epoch; by batch where there are too few epochs for a curve. */
function lossNames({ series }: RunView): string[] {
  const has = (least: number) => (name: string) => (series.get(name)?.length ?? 0) >= least;
  const means = ['train/loss', 'val/loss'].filter(has(3));
  return means.length > 0 ? means : ['batch/loss', 'train/loss', 'val/loss'].filter(has(2)).slice(0, 1);
}

/** Lines of equal width: a title, and the curve between its highest and its lowest value. */
function panelOf(run: RunView, name: string): string[] {
  const values = [...thin(run.series.get(name)!, WIDTH * 4).values];
  const finite = values.filter(Number.isFinite);
  const labels = [numberText(Math.max(...finite)), numberText(Math.min(...finite))];
  const gutter = Math.max(...labels.map((label) => label.length));
  const title = `${name} ${numberText(values[0])} → ${numberText(values.at(-1))}`;
  // Most of a loss happens near its end: on a linear scale that would be a flat line.
  const isSteep = finite.every((value) => value > 0) && Math.max(...finite) > 20 * Math.min(...finite);
  const curve = brailleCurve(isSteep ? values.map(Math.log) : values, WIDTH, HEIGHT).map((line, row) => {
    const label = row === 0 ? labels[0]! : row === HEIGHT - 1 ? labels[1]! : '';
    return `${label.padStart(gutter)} ${label === '' ? '│' : '┤'}${line}`;
  });
  const width = Math.max(title.length, gutter + 2 + WIDTH);
  return [title, ...curve].map((line) => line.padEnd(width));
}
