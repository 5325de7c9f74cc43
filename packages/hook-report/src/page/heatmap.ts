import type { HistogramView } from '@hookline/run-view';
import { numberText } from './format.js';
import { html, type Markup } from './html.js';

const [WIDTH, HEIGHT] = [320, 150];
/** The left has room for `-0.05392`: a sign that is cut off is a wrong number. */
const [LEFT, BOTTOM, TOP] = [64, 22, 6];
const COLUMNS = 32;
const ROWS = 24;
const SHADES = 6;

/** Histograms over time: a column for each moment, the darker the more values fall into a cell. */
export function heatmapFigure(name: string, histograms: readonly HistogramView[]): Markup | undefined {
  const shown = sampled(histograms.filter(isWhole), COLUMNS);
  if (shown.length === 0) return undefined;
  const low = Math.min(...shown.map(({ edges }) => edges[0]!));
  const high = Math.max(...shown.map(({ edges }) => edges.at(-1)!));
  const span = high - low || 1;
  const columns = shown.map((histogram) => rebinned(histogram, low, span));
  const width = (WIDTH - LEFT) / columns.length;
  const height = (HEIGHT - TOP - BOTTOM) / ROWS;
  const shades = Array.from({ length: SHADES }, () => '');
  columns.forEach((column, x) => {
    const most = Math.max(...column, Number.MIN_VALUE);
    column.forEach((count, y) => {
      // Most values lie near zero: the root keeps the tails visible.
      const shade = Math.ceil(Math.sqrt(count / most) * SHADES);
      if (shade < 1) return;
      const [left, top] = [LEFT + x * width, TOP + (ROWS - 1 - y) * height];
      shades[shade - 1] +=
        `M${left.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h-${width.toFixed(1)}z`;
    });
  });
  const [first, last] = [shown[0]!.step, shown.at(-1)!.step];
  const told = `${name}: from ${numberText(low)} to ${numberText(high)}, steps ${first} to ${last}`;
  return html`<figure class="heat"><figcaption>${name}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${told}">
${shades.map((path, shade) => path !== '' && html`<path d="${path}" style="opacity:${((shade + 1) / SHADES).toFixed(2)}"/>`)}
<g class="grid"><text class="y" x="${LEFT - 6}" y="${TOP + 6}">${numberText(high)}</text><text class="y" x="${LEFT - 6}" y="${HEIGHT - BOTTOM - 4}">${numberText(low)}</text>
<text x="${LEFT}" y="${HEIGHT - 6}">${first}</text><text class="end" x="${WIDTH}" y="${HEIGHT - 6}">${last}</text></g></svg></figure>`;
}

/** Counts in equal cells of the common range; a bucket is spread over the cells that it touches. */
function rebinned({ edges, counts }: HistogramView, low: number, span: number): number[] {
  const cells = new Array<number>(ROWS).fill(0);
  counts.forEach((count, at) => {
    const from = ((edges[at]! - low) / span) * ROWS;
    const to = Math.max(((edges[at + 1]! - low) / span) * ROWS, from + 1e-9);
    for (let cell = Math.floor(from); cell < Math.min(Math.ceil(to), ROWS); cell++) {
      const overlap = Math.min(to, cell + 1) - Math.max(from, cell);
      cells[Math.min(cell, ROWS - 1)]! += (count * overlap) / (to - from);
    }
  });
  return cells;
}

function sampled<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, at) => items[Math.round((at * (items.length - 1)) / (count - 1))]!,
  );
}

function isWhole({ edges, counts }: HistogramView): boolean {
  return [...edges, ...counts].every(Number.isFinite);
}
