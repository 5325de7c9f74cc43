import { type Points, thin } from '@hookline/run-view';
import { numberText } from './format.js';
import { html, jsonMarkup, type Markup } from './html.js';
import { type Scale, scaleOf, stepScale } from './scale.js';

export interface ChartLine {
  readonly label: string;
  readonly series: { points(): Points };
  /** The place in the palette. */
  readonly color: number;
  /** Behind the others, such as the loss of single batches. */
  readonly isFaint?: boolean;
  readonly isDashed?: boolean;
}

export interface Chart {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** Vertical lines, such as where the run was resumed. */
  readonly marks?: readonly { readonly step: number; readonly label: string }[] | undefined;
  readonly best?: { readonly step: number; readonly value: number; readonly label: string } | undefined;
  readonly note?: string;
}

const [WIDTH, HEIGHT] = [560, 250];
const [LEFT, RIGHT, TOP, BOTTOM] = [60, 22, 10, 30];
const TABLE_ROWS = 40;

interface DrawnLine extends Omit<ChartLine, 'series'> {
  readonly points: Points;
}

interface Plot {
  readonly x: Scale;
  readonly y: Scale;
}

/** A figure: curves, their legend, and their numbers as a table. Undefined where there is nothing to draw. */
export function chartFigure(chart: Chart, pointsPerLine: number): Markup | undefined {
  const lines = chart.lines
    .map(({ series, ...line }) => ({ ...line, points: thin(series, pointsPerLine) }))
    .filter(({ points }) => points.values.some(Number.isFinite));
  if (lines.length === 0) return undefined;
  const plot = plotOf(lines);
  return html`<figure class="chart">
<figcaption>${chart.title}${plot.y.isLog && html` <small>logarithmic</small>`}</figcaption>
${legend(lines)}
<div class="plot"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" tabindex="0" aria-label="${summaryOf(chart.title, lines)}">
${axes(plot)}${(chart.marks ?? []).map((mark) => markLine(plot, mark))}${lines.map((line) => curve(plot, line))}${bestMark(plot, chart.best)}
<line class="cursor" y1="${TOP}" y2="${HEIGHT - BOTTOM}" hidden=""/></svg><output aria-live="polite"></output></div>
<script type="application/json">${jsonMarkup(dataOf(plot, lines))}</script>
${chart.note !== undefined && html`<p class="note">${chart.note}</p>`}
${numbersTable(lines)}
</figure>`;
}

function plotOf(lines: readonly DrawnLine[]): Plot {
  const steps = lines.flatMap(({ points }) => [points.steps[0]!, points.steps.at(-1)!]);
  let [low, high] = [Infinity, -Infinity];
  for (const { points } of lines) {
    for (const value of points.values) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return { x: stepScale(Math.min(...steps), Math.max(...steps)), y: scaleOf(low, high, true) };
}

function axes({ x, y }: Plot): Markup {
  return html`<g class="grid">${y.ticks.map((tick) => {
    const at = top(y, tick);
    return html`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text x="${LEFT - 8}" y="${at}" class="y">${numberText(tick)}</text>`;
  })}${x.ticks.map((tick) => html`<text x="${left(x, tick)}" y="${HEIGHT - 10}" class="x">${numberText(tick)}</text>`)}<text x="${LEFT - 12}" y="${HEIGHT - 10}" class="end">step</text></g>`;
}

function curve({ x, y }: Plot, { points, color, isFaint, isDashed }: DrawnLine): Markup {
  const kind = `line c${color % 8}${isFaint ? ' faint' : ''}${isDashed ? ' dashed' : ''}`;
  const { steps, values } = points;
  if (values.length === 1)
    return html`<circle class="${kind} dot" cx="${left(x, steps[0]!)}" cy="${top(y, values[0]!)}" r="3.5"/>`;
  let path = '';
  let isOn = false;
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    const isDrawn = Number.isFinite(value) && (!y.isLog || value > 0);
    // A value that is not a number leaves a gap.
    if (isDrawn) path += `${isOn ? 'L' : 'M'}${left(x, steps[at]!)} ${top(y, value)}`;
    isOn = isDrawn;
  }
  return html`<path class="${kind}" d="${path}"/>`;
}

function markLine({ x }: Plot, { step, label }: { step: number; label: string }): Markup | undefined {
  if (step < x.low || step > x.high) return undefined;
  const at = left(x, step);
  return html`<g class="mark"><line x1="${at}" x2="${at}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/><text x="${at + 4}" y="${TOP + 10}">${label}</text></g>`;
}

function bestMark({ x, y }: Plot, best: Chart['best']): Markup | undefined {
  if (!best || !Number.isFinite(best.value)) return undefined;
  const [at, height] = [left(x, best.step), top(y, best.value)];
  const isRight = at > WIDTH * 0.7;
  // The best of a loss is its lowest point: below it nothing else is drawn.
  const isLow = y.at(best.value) < 0.5;
  const line = isLow ? Math.min(height + 19, HEIGHT - BOTTOM - 2) : Math.max(height - 10, TOP + 10);
  return html`<g class="best"><circle cx="${at}" cy="${height}" r="5"/><text x="${at + (isRight ? -9 : 9)}" y="${line}"${isRight && html` class="end"`}>${best.label}</text></g>`;
}

function legend(lines: readonly DrawnLine[]): Markup {
  return html`<ul class="legend">${lines.map(
    ({ label, color, isFaint, isDashed, points }) =>
      html`<li class="c${color % 8}${isFaint && ' faint'}${isDashed && ' dashed'}"><i></i>${label} <b>${numberText(points.values.at(-1))}</b></li>`,
  )}</ul>`;
}

/** What somebody hears who does not see the curve. */
function summaryOf(title: string, lines: readonly DrawnLine[]): string {
  const told = lines.map(({ label, points: { values, steps } }) => {
    const from = `${label} from ${numberText(values[0])} at step ${steps[0]}`;
    return `${from} to ${numberText(values.at(-1))} at step ${steps.at(-1)}`;
  });
  return `${title}: ${told.join('; ')}. The arrow keys read values.`;
}

/** For the script that reads values under the pointer. */
function dataOf({ x }: Plot, lines: readonly DrawnLine[]): object {
  return {
    x: [x.low, x.high, LEFT, WIDTH - RIGHT, WIDTH],
    lines: lines.map(({ label, color, points }) => ({
      label,
      color: color % 8,
      steps: [...points.steps],
      values: Array.from(points.values, (value) =>
        Number.isFinite(value) ? Number(value.toPrecision(6)) : String(value),
      ),
    })),
  };
}

function numbersTable(lines: readonly DrawnLine[]): Markup {
  const shown = lines.filter(({ isFaint }) => !isFaint);
  const columns = shown.length > 0 ? shown : lines;
  const all = [...new Set(columns.flatMap(({ points }) => [...points.steps]))].sort((a, b) => a - b);
  const stride = Math.ceil(all.length / TABLE_ROWS);
  const steps = all.filter((_, at) => at % stride === 0 || at === all.length - 1);
  const values = columns.map(
    ({ points }) => new Map(Array.from(points.steps, (step, at) => [step, points.values[at]])),
  );
  return html`<details><summary>Numbers</summary><table><thead><tr><th scope="col">step</th>${columns.map(({ label }) => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${steps.map((step) => html`<tr><th scope="row">${step}</th>${values.map((byStep) => html`<td>${numberText(byStep.get(step))}</td>`)}</tr>`)}</tbody></table></details>`;
}

function left(x: Scale, step: number): number {
  return rounded(LEFT + x.at(step) * (WIDTH - LEFT - RIGHT));
}

function top(y: Scale, value: number): number {
  return rounded(TOP + (1 - y.at(value)) * (HEIGHT - TOP - BOTTOM));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
