import { controls, drawCards } from './cards.js';
import { clearCharts, drawCharts, settings } from './charts.js';
import { byId, make } from './dom.js';
import { logOf } from './facts.js';
import { taken } from './points.js';
import { eventsOf, listedRuns } from './server.js';

/** @typedef {import('./points.js').ShownRun} ShownRun */

const LIST_MS = 5_000;
const MOST_SHOWN = 8;

/** By folder. */
const runs = /** @type {Map<string, ShownRun>} */ (new Map());
/** @type {string[]} */
let shown = [];
/** @type {EventSource | undefined} */
let events;
let isDrawn = true;

await refreshList();
setInterval(() => {
  if (!document.hidden) void refreshList();
}, LIST_MS);

const smoothing = /** @type {HTMLInputElement} */ (byId('smoothing'));
smoothing.oninput = () => {
  settings.smoothing = Number(smoothing.value);
  byId('smoothing-value').textContent = smoothing.value;
  draw();
};
const log = /** @type {HTMLInputElement} */ (byId('log-scale'));
log.onchange = () => {
  settings.isLog = log.checked;
  draw();
};
const filter = /** @type {HTMLInputElement} */ (byId('filter'));
filter.oninput = () => {
  settings.filter = filter.value;
  draw();
};
document.addEventListener('redraw', draw);

async function refreshList() {
  try {
    const { runs: listed, run, folder } = await listedRuns();
    const isFirst = events === undefined;
    const [newest] = listed;
    if (isFirst && newest) shown = [run ?? newest.id];
    byId('empty').hidden = listed.length > 0;
    byId('folder').textContent = folder;
    const box = byId('runs');
    const signature = JSON.stringify([listed, shown]);
    // The list is left alone while nothing has changed: somebody may be going through it with the keyboard.
    if (box.dataset.signature !== signature) {
      box.dataset.signature = signature;
      box.replaceChildren(...listed.map(({ id, status }) => runBox(id, status)));
    }
    if (isFirst && shown.length > 0) connect();
  } catch (error) {
    byId('connection').textContent = error instanceof Error ? error.message : String(error);
  }
}

/**
 * @param {string} id
 * @param {string} status
 */
function runBox(id, status) {
  const box = make('input', { type: 'checkbox', checked: shown.includes(id) });
  box.onchange = () => {
    shown = box.checked ? [...shown, id].slice(-MOST_SHOWN) : shown.filter((each) => each !== id);
    connect();
    void refreshList();
  };
  return make('label', {}, box, ` ${id} `, make('span', { className: `status ${status}` }, status));
}

function connect() {
  events?.close();
  runs.clear();
  controls.clear();
  clearCharts();
  draw();
  events = eventsOf(shown);
  events.onopen = () => {
    byId('connection').textContent = 'live';
  };
  events.onerror = () => {
    byId('connection').textContent = 'The run or its server is gone; trying again.';
  };
  events.addEventListener('run', ({ data }) => {
    /** @type {import('./points.js').RunMessage} */
    const message = JSON.parse(data);
    runs.set(message.folder, taken(runs.get(message.folder), message));
    draw();
  });
  events.addEventListener('controls', ({ data }) => {
    /** @type {import('./points.js').ControlsMessage} */
    const { folder, hooks } = JSON.parse(data);
    controls.set(folder, hooks);
    draw();
  });
}

/** Once for all that comes in within a moment. A timer and not a frame: a tab in the background has no frames. */
function draw() {
  if (!isDrawn) return;
  isDrawn = false;
  setTimeout(() => {
    isDrawn = true;
    const all = shown.flatMap((folder) => runs.get(folder) ?? []);
    drawCards(all);
    drawCharts(all);
    drawLog(all);
  }, 16);
}

/** @param {readonly ShownRun[]} all */
function drawLog(all) {
  const hasPoints = all.some(({ points }) => points.size > 0);
  byId('waiting').hidden = all.length === 0 || hasPoints;
  byId('settings').hidden = !hasPoints;
  const entries = logOf(all).map(({ where, message }) => make('li', {}, make('b', {}, where), ` ${message}`));
  byId('log').hidden = entries.length === 0;
  byId('log')
    .querySelector('ol')
    ?.replaceChildren(...entries);
}
