import { byId, make } from './dom.js';
import { plotIn, sizeIn } from './plot.js';
import { chartOf, rankOf, smoothed } from './points.js';

/** @typedef {import('./points.js').ShownRun} ShownRun */
/** @typedef {import('./plot.js').Line} Line */

const STAGES = ['train/', 'val/', 'test/'];

/** By title: the figure and its chart, and what it was made for. */
const charts = /** @type {Map<string, { key: string, plot: uPlot, figure: HTMLElement }>} */ (new Map());
const observer = new ResizeObserver(() => {
  for (const { plot, figure } of charts.values()) plot.setSize(sizeIn(figure));
});

/** @type {{ smoothing: number, isLog: boolean, filter: string }} */
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
  /** @type {Map<string, Set<string>>} */
  const names = new Map();
  for (const run of runs) {
    for (const name of run.points.keys()) {
      const title = chartOf(name);
      names.set(title, (names.get(title) ?? new Set()).add(name));
    }
  }
  const wanted = [...names].filter(([title]) => title.toLowerCase().includes(settings.filter.toLowerCase()));
  wanted.sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  for (const [title, { plot, figure }] of charts) {
    if (wanted.some(([each]) => each === title)) continue;
    plot.destroy();
    figure.remove();
    charts.delete(title);
  }
  for (const [title, group] of wanted) drawChart(title, linesOf(runs, [...group]), runs);
  const first = byId('charts').firstElementChild;
  // A new chart takes its place among the others; nothing moves otherwise.
  const inOrder = wanted.flatMap(([title]) => charts.get(title)?.figure ?? []);
  if (inOrder[0] !== first || inOrder.some((figure, at) => byId('charts').children[at] !== figure)) {
    byId('charts').append(...inOrder);
  }
}

/**
 * Training, validation and test have the same colours in every chart of one run; of several, each run has its own.
 * @param {readonly ShownRun[]} runs
 * @param {readonly string[]} names
 * @returns {Line[]}
 */
function linesOf(runs, names) {
  const isAlone = runs.length === 1;
  const stage = (/** @type {string} */ name) => STAGES.findIndex((start) => name.startsWith(start));
  // Single batches first, so that the others are drawn above them.
  const isBatch = (/** @type {string} */ name) => name.startsWith('batch/');
  const sorted = [...names].sort((a, b) => Number(isBatch(b)) - Number(isBatch(a)) || stage(a) - stage(b));
  return runs.flatMap((run, at) =>
    sorted.flatMap((name, place) => {
      const points = run.points.get(name);
      if (!points) return [];
      const own = isBatch(name) ? 0 : stage(name) >= 0 ? stage(name) : place;
      return [
        {
          label: isAlone ? name : `${run.id} ${name}`,
          color: isAlone ? own : at,
          isFaint: isBatch(name),
          isDashed: !isAlone && name.startsWith('train/'),
          points,
        },
      ];
    }),
  );
}

/**
 * @param {string} title
 * @param {Line[]} lines
 * @param {readonly ShownRun[]} runs
 */
function drawChart(title, lines, runs) {
  const data = uPlot.join(
    lines.map(({ points: [steps, values] }) => {
      const drawn = smoothed(values, settings.smoothing);
      // A logarithm has no place for zero and below.
      return [
        steps,
        settings.isLog ? drawn.map((value) => (value !== null && value > 0 ? value : null)) : drawn,
      ];
    }),
  );
  const marks = runs.length === 1 ? (runs[0]?.resumes ?? []) : [];
  const key = JSON.stringify([lines.map(({ label }) => label), settings.isLog, marks]);
  const known = charts.get(title);
  const figure = known?.figure ?? make('figure');
  figure.dataset.points = String(data[0].length);
  if (known?.key === key) {
    // Who has zoomed in keeps that part of the curve.
    known.plot.setData(data, !isZoomed(known.plot));
    if (isZoomed(known.plot)) known.plot.redraw();
    return;
  }
  known?.plot.destroy();
  if (!known) byId('charts').append(figure);
  const plot = plotIn(figure, title, lines, data, { isLog: settings.isLog, marks });
  if (!known) observer.observe(figure);
  charts.set(title, { key, plot, figure });
}

/** @param {uPlot} plot */
function isZoomed({ data, scales: { x } }) {
  const steps = data[0];
  const [first, last] = [steps[0] ?? 0, steps[steps.length - 1] ?? 0];
  return x !== undefined && ((x.min ?? first) > first || (x.max ?? last) < last);
}

/** Colours come from the style sheet, which follows the reader's choice. */
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  clearCharts();
  document.dispatchEvent(new Event('redraw'));
});
