// Everything that comes from a run is set as text, never as HTML.

const COLORS = ['#3b8ff3', '#e8743b', '#2fa36b', '#a56eff', '#d4408e', '#12a5a0', '#b8941f', '#7d8aa5'];
const token = new URLSearchParams(location.search).get('token') ?? '';
const element = (/** @type {string} */ id) => document.getElementById(id);

/** By id: the latest message, and points by name. */
const runs = new Map();
/** By metric: the figure and its chart. */
const charts = new Map();
const observer = new ResizeObserver(() => {
  for (const { plot, figure } of charts.values()) plot.setSize(sizeIn(figure));
});
let shown = [];
let events;

const known = await get('runs');
shown = [known.run ?? known.runs[0]].filter(Boolean);
element('verbs').hidden = !known.canAct;
listRuns();
connect();
if (known.canAct) {
  listHooks();
  setInterval(listHooks, 2000);
}

for (const button of element('verbs').querySelectorAll('button')) {
  const { verb, factor } = button.dataset;
  button.addEventListener('click', () =>
    act({ verb, ...(factor && { factor: Number(factor) }) }, button.textContent),
  );
}

async function get(/** @type {string} */ path) {
  const response = await fetch(path, { headers: { 'x-hookline-token': token } });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function act(content, words) {
  const response = await fetch('act', {
    method: 'POST',
    headers: { 'x-hookline-token': token },
    body: JSON.stringify(content),
  });
  element('answer').textContent = response.ok ? `${words}: asked for` : await response.text();
}

function listRuns() {
  const boxes = known.runs.map((id) => {
    const label = document.createElement('label');
    const box = Object.assign(document.createElement('input'), {
      type: 'checkbox',
      checked: shown.includes(id),
    });
    box.addEventListener('change', () => {
      shown = box.checked ? [...shown, id].slice(-8) : shown.filter((each) => each !== id);
      connect();
    });
    label.append(box, ` ${id}`);
    return label;
  });
  element('runs').replaceChildren(...boxes);
}

function connect() {
  events?.close();
  runs.clear();
  for (const { figure } of charts.values()) figure.remove();
  charts.clear();
  const query = new URLSearchParams([['token', token], ...shown.map((id) => ['run', id])]);
  events = new EventSource(`events?${query}`);
  events.onopen = () => (element('connection').textContent = 'live');
  events.onerror = () => (element('connection').textContent = 'the run or its server is gone; trying again');
  events.addEventListener('run', ({ data }) => take(JSON.parse(data)));
}

function take(message) {
  const run = message.isWhole ? { points: new Map() } : (runs.get(message.id) ?? { points: new Map() });
  for (const [name, [steps, values]] of Object.entries(message.series)) {
    const points = run.points.get(name) ?? [[], []];
    points[0].push(...steps);
    points[1].push(...values);
    run.points.set(name, points);
  }
  runs.set(message.id, { ...message, points: run.points });
  draw();
}

/** `train/loss`, `val/loss` and `batch/loss` share a chart; other names have one each. */
function chartOf(name) {
  return /^(train|val|batch|test)\//.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name;
}

function draw() {
  element('states').replaceChildren(
    ...[...runs.values()].map(({ id, status, stopReason, epochs, plannedEpochs }) => {
      const item = document.createElement('li');
      const planned = plannedEpochs ? ` of ${plannedEpochs}` : '';
      item.textContent = `${id}: ${status}${stopReason ? ` (${stopReason})` : ''}, epoch ${epochs}${planned}`;
      return item;
    }),
  );
  const names = new Map();
  for (const run of runs.values()) {
    for (const name of run.points.keys())
      names.set(chartOf(name), new Set([...(names.get(chartOf(name)) ?? []), name]));
  }
  for (const [title, group] of names) drawChart(title, [...group]);
  drawLog();
}

function drawChart(title, names) {
  const lines = [...runs.values()].flatMap((run) =>
    names.filter((name) => run.points.has(name)).map((name) => ({ run, name, points: run.points.get(name) })),
  );
  const data = uPlot.join(lines.map(({ points }) => points));
  const labels = lines.map(({ run, name }) => (runs.size > 1 ? `${run.id} ${name}` : name));
  const key = labels.join('\n');
  const chart = charts.get(title);
  if (chart?.key === key) {
    chart.plot.setData(data);
    chart.figure.dataset.points = String(data[0].length);
    return;
  }
  const figure = chart?.figure ?? document.createElement('figure');
  const caption = document.createElement('figcaption');
  caption.textContent = title;
  figure.replaceChildren(caption);
  if (!chart) element('charts').append(figure);
  const ink = getComputedStyle(document.body).getPropertyValue('--soft');
  const grid = { stroke: getComputedStyle(document.body).getPropertyValue('--line') };
  const series = labels.map((label, at) => ({
    // The legend of uPlot takes text: it is set as such.
    label,
    stroke: COLORS[at % COLORS.length],
    width: lines[at].name.startsWith('batch/') ? 1 : 2,
    alpha: lines[at].name.startsWith('batch/') ? 0.45 : 1,
    spanGaps: true,
  }));
  const axes = [
    { stroke: ink, grid },
    { stroke: ink, grid, size: 60 },
  ];
  const plot = new uPlot(
    { ...sizeIn(figure), scales: { x: { time: false } }, axes, series: [{ label: 'step' }, ...series] },
    data,
    figure,
  );
  figure.dataset.points = String(data[0].length);
  if (!chart) observer.observe(figure);
  charts.set(title, { key, plot, figure });
}

function sizeIn(figure) {
  return { width: Math.max(figure.clientWidth - 30, 260), height: 240 };
}

function drawLog() {
  const entries = [...runs.values()].flatMap(({ warnings }) => warnings);
  element('log').hidden = entries.length === 0;
  element('log')
    .querySelector('ol')
    .replaceChildren(
      ...entries.reverse().map(({ step, hook, message }) => {
        const item = document.createElement('li');
        item.textContent = `step ${step}${hook ? ` [${hook}]` : ''} ${message}`;
        return item;
      }),
    );
}

async function listHooks() {
  const hooks = await get('hooks').catch(() => []);
  element('hooks').hidden = hooks.length === 0;
  element('hooks')
    .querySelector('tbody')
    .replaceChildren(
      ...hooks.map(({ name, calls, milliseconds, isOn }) => {
        const row = document.createElement('tr');
        const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: isOn });
        box.setAttribute('aria-label', `${name} is on`);
        box.addEventListener('change', () => act({ verb: 'switch', hook: name, on: box.checked }, name));
        for (const text of [name, calls, `${Number(milliseconds.toPrecision(3))} ms`])
          row.insertCell().textContent = text;
        row.insertCell().append(box);
        return row;
      }),
    );
}
