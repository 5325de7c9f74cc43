import { byId, durationText, make } from './dom.js';
import { factsOf, reasonOf } from './facts.js';
import { ask } from './server.js';

/** @typedef {import('./points.js').ShownRun} ShownRun */
/** @typedef {import('../src/server/acts.js').Act} Act */
/** @typedef {import('../src/server/acts.js').ShownHook} ShownHook */

/** By folder; null for a run that cannot be acted on. */
export const controls = /** @type {Map<string, readonly ShownHook[] | null>} */ (new Map());

/** @type {readonly { words: string, act: Act, hint: string }[]} */
const VERBS = [
  { words: 'Validate now', act: { verb: 'validate' }, hint: 'After the current step' },
  { words: 'Save a checkpoint', act: { verb: 'checkpoint' }, hint: 'After the current step' },
  {
    words: 'Learning rate × 0.5',
    act: { verb: 'scale-lr', factor: 0.5 },
    hint: 'Of every group, from the next step on',
  },
  {
    words: 'Learning rate × 2',
    act: { verb: 'scale-lr', factor: 2 },
    hint: 'Of every group, from the next step on',
  },
];

/**
 * What is known of each run, and what can be done about it. A card that is there stays, with whatever has the focus.
 * @param {readonly ShownRun[]} runs
 */
export function drawCards(runs) {
  const place = byId('states');
  const cards = runs.map((run) => {
    const known = [...place.children].find(
      (each) => /** @type {HTMLElement} */ (each).dataset.run === run.folder,
    );
    const card = /** @type {HTMLElement} */ (known ?? newCard(run.folder));
    fill(card, run);
    return card;
  });
  if (cards.length !== place.children.length || cards.some((card, at) => place.children[at] !== card))
    place.replaceChildren(...cards);
}

/** @param {string} folder */
function newCard(folder) {
  const card = make('li', { className: 'card' });
  card.dataset.run = folder;
  const answer = make('span', { className: 'answer' });
  answer.setAttribute('role', 'status');
  const buttons = VERBS.map(({ words, act, hint }) =>
    button(words, hint, act.verb, () => tell(folder, act, words)),
  );
  const stop = button(
    'Stop the run',
    'It ends after the current batch, and its report says why',
    'stop',
    () => {
      if (
        confirm(
          `Stop ${folder}? What it has learned is kept, and a checkpoint is saved if the run saves any.`,
        )
      )
        tell(folder, { verb: 'stop' }, 'Stop the run');
    },
  );
  stop.classList.add('stop');
  card.append(
    make('h2', {}, make('span', { className: 'name' }), make('span', { className: 'status' })),
    make('p', { className: 'reason' }),
    make('dl'),
    make('div', { className: 'verbs' }, ...buttons, stop, answer),
    make('p', { className: 'readonly note' }),
    make('details', { className: 'hooks' }, make('summary', {}, 'Hooks and their cost'), hooksTable()),
  );
  return card;
}

/**
 * @param {string} words
 * @param {string} hint
 * @param {string} verb
 * @param {() => void} onclick
 */
function button(words, hint, verb, onclick) {
  const made = make('button', { type: 'button', title: hint, onclick }, words);
  made.dataset.verb = verb;
  return made;
}

function hooksTable() {
  const heads = ['hook', 'calls', 'time', 'on'].map((text) => make('th', { scope: 'col' }, text));
  return make('table', {}, make('thead', {}, make('tr', {}, ...heads)), make('tbody'));
}

/**
 * @param {string} folder
 * @param {Act} act
 * @param {string} words
 */
async function tell(folder, act, words) {
  const answer = await ask(folder, act, words);
  const place = document.querySelector(`[data-run="${CSS.escape(folder)}"] .answer`);
  if (place) place.textContent = answer;
}

/**
 * @param {HTMLElement} card
 * @param {ShownRun} run
 */
function fill(card, run) {
  const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (card.querySelector(selector));
  const { status } = run;
  part('.name').textContent = run.id;
  part('.status').textContent = status;
  part('.status').className = `status ${status}`;
  part('.reason').textContent = reasonOf(run);
  part('dl').replaceChildren(
    ...factsOf(run).map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
  const hooks = controls.get(run.folder);
  const isLive = status === 'running';
  part('.verbs').hidden = !(isLive && hooks);
  part('.readonly').hidden = !(isLive && hooks === null);
  part('.readonly').textContent =
    'Only shown: this run has no page of its own. Start runs with hookline train --dashboard, or switch the hook "dashboard" on, to stop and tune them from here.';
  part('.hooks').hidden = !(isLive && hooks);
  if (isLive && hooks) fillHooks(part('tbody'), run.folder, hooks);
}

/**
 * Rows stay while their hooks do: the focus must not be lost every two seconds.
 * @param {HTMLElement} body
 * @param {string} folder
 * @param {readonly ShownHook[]} hooks
 */
function fillHooks(body, folder, hooks) {
  const names = hooks.map(({ name }) => name).join('\n');
  if (body.dataset.names !== names) {
    body.dataset.names = names;
    body.replaceChildren(...hooks.map(({ name }) => hookRow(folder, name)));
  }
  hooks.forEach(({ calls, milliseconds, isOn }, at) => {
    const row = /** @type {HTMLTableRowElement} */ (body.children[at]);
    const [, callsCell, timeCell, onCell] = row.cells;
    if (callsCell) callsCell.textContent = calls.toLocaleString('en');
    if (timeCell) timeCell.textContent = durationText(milliseconds);
    const box = onCell?.querySelector('input');
    if (box) box.checked = isOn;
  });
}

/**
 * @param {string} folder
 * @param {string} name
 */
function hookRow(folder, name) {
  const box = make('input', { type: 'checkbox' });
  box.setAttribute('aria-label', `${name} is on`);
  box.onchange = () =>
    tell(folder, { verb: 'switch', hook: name, on: box.checked }, `${name} ${box.checked ? 'on' : 'off'}`);
  const cell = (/** @type {(Node | string)[]} */ ...children) => make('td', {}, ...children);
  return make('tr', {}, make('th', { scope: 'row' }, name), cell(), cell(), cell(box));
}
