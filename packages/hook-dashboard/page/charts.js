import { byId, make } from './dom.js';
import { chartsOf, drawnPoints, isZoomed, linesOf } from './lines.js';
import { plotIn, sizeIn } from './plot.js';

/** @typedef {import('./points.js').ShownRun} ShownRun */
/** @typedef {import('./lines.js').Line} Line */

/** By title: the figure and its chart, and what it was made for. */
const charts = /** @type {Map<string, { key: string, plot: uPlot, figure: HTMLElement }>} */ (new Map());
const observer = new ResizeObserver(() => {
  for (const { plot, figure } of charts.values()) plot.setSize(sizeIn(figure));
});

/** @type {import('./lines.js').Settings} */
export const settings = { smoothing: 0, isLog: false, filter: '' };

/** Forgets all charts, as when other runs are shown. */
export function clearCharts() {
  for (const { plot, figure } of charts.values()) {
    plot.destroy();
    observer.unobserve(figure);
    figure.remove();
  }
  charts.clear();
}

/** @param {readonly ShownRun[]} runs */
export function drawCharts(runs) {
  const wanted = chartsOf(runs, settings.filter);
  for (const [title, { plot, figure }] of charts) {
    if (wanted.some(([each]) => each === title)) continue;
    plot.destroy();
    figure.remove();
    charts.delete(title);
  }
  for (const [title, group] of wanted) drawChart(title, linesOf(runs, group), runs);
  const first = byId('charts').firstElementChild;
  // A new chart takes its place among the others; nothing moves otherwise.
  const inOrder = wanted.flatMap(([title]) => charts.get(title)?.figure ?? []);
  if (inOrder[0] !== first || inOrder.some((figure, at) => byId('charts').children[at] !== figure)) {
    byId('charts').append(...inOrder);
  }
}

/**
 * @param {string} title
 * @param {Line[]} lines
 * @param {readonly ShownRun[]} runs
 */
function drawChart(title, lines, runs) {
  const data = uPlot.join(lines.map(({ points }) => drawnPoints(points, settings)));
  const marks = runs.length === 1 ? (runs[0]?.resumes ?? []) : [];
  const key = JSON.stringify([lines.map(({ label }) => label), settings.isLog, marks]);
  const known = charts.get(title);
  const figure = known?.figure ?? make('figure');
  figure.dataset.points = String(data[0].length);
  if (known?.key === key) {
    // Who has zoomed in keeps that part of the curve.
    const { plot } = known;
    const isKept = isZoomed(plot.data[0], plot.scales.x);
    plot.setData(data, !isKept);
    if (isZoomed(plot.data[0], plot.scales.x)) plot.redraw();
    return;
  }
  known?.plot.destroy();
  if (!known) byId('charts').append(figure);
  const plot = plotIn(figure, title, lines, data, { isLog: settings.isLog, marks });
  if (!known) observer.observe(figure);
  charts.set(title, { key, plot, figure });
}

/** Colours come from the style sheet, which follows the reader's choice. */
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  clearCharts();
  document.dispatchEvent(new Event('redraw'));
});
