import { byId, make, numberText } from './dom.js';
import { nearest, placeAfter, readOut } from './reading.js';

/** @typedef {import('./lines.js').Line} Line */
/** @typedef {{ isLog: boolean, marks: readonly number[] }} Look */

const HEIGHT = 250;

/** @param {HTMLElement} figure */
export function sizeIn(figure) {
  return { width: Math.max(figure.clientWidth - 28, 220), height: HEIGHT };
}

/**
 * A chart in a figure. Its legend shows the values under the pointer; the arrow keys move it, and what it shows is read out.
 * @param {HTMLElement} figure
 * @param {string} title
 * @param {readonly Line[]} lines
 * @param {uPlot.AlignedData} data
 * @param {Look} look
 */
export function plotIn(figure, title, lines, data, { isLog, marks }) {
  const style = getComputedStyle(document.body);
  const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const [ink, grid] = [color('--soft'), { stroke: color('--line'), width: 1 }];
  /** @type {uPlot.Options} */
  const options = {
    ...sizeIn(figure),
    scales: { x: { time: false }, y: isLog ? { distr: 3, range: logRange } : {} },
    cursor: { sync: { key: 'steps' }, focus: { prox: 24 } },
    focus: { alpha: 0.3 },
    axes: [
      { stroke: ink, grid, label: 'step', labelSize: 22, size: 34 },
      {
        stroke: ink,
        grid,
        size: 62,
        values: (_plot, ticks) => ticks.map((tick) => (tick === null ? '' : numberText(tick))),
      },
    ],
    series: [
      { label: 'step' },
      ...lines.map(({ label, color: at, isFaint, isDashed }) => ({
        label, // uPlot sets it as text
        stroke: color(`--c${at % 8}`),
        width: isFaint ? 1 : 2,
        alpha: isFaint ? 0.45 : 1,
        ...(isDashed && { dash: [6, 4] }),
        spanGaps: true,
        points: { show: lengthOf(data) < 60 },
        value: valueText,
      })),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, marks, ink)] },
  };
  const heading = make('figcaption', {}, title, isLog && make('small', {}, ' logarithmic'));
  figure.replaceChildren(heading);
  const plot = new uPlot(options, data, figure);
  readable(figure, title, lines, plot);
  return plot;
}

/**
 * Under the pointer; the latest where there is none.
 * @param {uPlot} plot
 * @param {number | null | undefined} value
 * @param {number} line
 * @param {number | null} index
 */
function valueText(plot, value, line, index) {
  if (index !== null) return numberText(value) || '–';
  const values = plot.data[line] ?? [];
  return nearest(values, values.length - 1);
}

/**
 * A constant has room above and below, too.
 * @param {uPlot} _plot
 * @param {number | null} low
 * @param {number | null} high
 * @returns {uPlot.Range.MinMax}
 */
function logRange(_plot, low, high) {
  if (low === null || high === null) return [0.1, 1];
  // Rounding may keep the values of a constant apart by a trifle.
  return high / low < 1.001 ? [low / 10, high * 10] : uPlot.rangeLog(low, high, 10, true);
}

/** @param {uPlot.AlignedData} data */
function lengthOf([steps]) {
  return steps?.length ?? 0;
}

/**
 * Where the run was taken up again.
 * @param {uPlot} plot
 * @param {readonly number[]} marks
 * @param {string} ink
 */
function drawMarks(plot, marks, ink) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink;
  ctx.setLineDash([4, 4]);
  for (const step of marks) {
    const x = Math.round(plot.valToPos(step, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.textAlign = x > bbox.left + bbox.width * 0.7 ? 'right' : 'left';
    ctx.fillText(' resumed ', x, bbox.top + 12 * devicePixelRatio);
  }
  ctx.restore();
}

/**
 * The arrow keys move the cursor, and what it points at is told.
 * @param {HTMLElement} figure
 * @param {string} title
 * @param {readonly Line[]} lines
 * @param {uPlot} plot
 */
function readable(figure, title, lines, plot) {
  figure.tabIndex = 0;
  figure.setAttribute('role', 'group');
  figure.setAttribute('aria-label', `${title}. The arrow keys read values.`);
  figure.onkeydown = (event) => {
    const last = lengthOf(plot.data) - 1;
    const index = placeAfter(event.key, plot.cursor.idx ?? last, last);
    if (index === undefined) return;
    event.preventDefault();
    plot.setCursor({ left: plot.valToPos(plot.data[0][index] ?? 0, 'x'), top: 20 });
    byId('reader').textContent = readOut(title, lines, plot.data, index);
  };
}
