import type { RunView } from '@hookline/run-view';
import { numberText } from './format.js';
import { epochsText, tookText } from './header.js';
import { html, type Markup } from './html.js';
import { section } from './tables.js';

const MOST_DIFFERENCES = 100;

/** Several runs side by side: how they ended, their last numbers, and where their configurations differ. */
export function comparison(runs: readonly RunView[]): Markup {
  const logged = [...new Set(runs.flatMap(({ metrics }) => Object.keys(metrics)))];
  const names = logged.filter((name) => /^(train|val|test)\//.test(name)).slice(0, 24);
  const row = (name: string, cell: (run: RunView) => string) =>
    html`<tr><th scope="row">${name}</th>${runs.map((run) => html`<td>${cell(run)}</td>`)}</tr>`;
  const head = html`<thead><tr><th></th>${runs.map(({ id }, at) => html`<th scope="col" class="c${at % 8}"><span class="bar" style="width:14px;background:var(--c)"></span>${id}</th>`)}</tr></thead>`;
  return html`<header><p class="kind">Training runs of Hookline</p><h1>${runs.length} runs</h1><p class="sub">Validation is drawn solid, training dashed.</p></header>
<div class="scroll"><table class="runs">${head}<tbody>
${row('status', ({ status }) => status)}
${row('ended by', ({ stopReason, failure }) => stopReason ?? failure ?? '')}
${row('epochs', epochsText)}
${row('took', tookText)}
${row('best', ({ best }) => (best ? `${best.metric} ${numberText(best.value)}, epoch ${best.epoch}` : ''))}
${names.map((name) => row(name, ({ metrics }) => numberText(metrics[name])))}</tbody></table></div>
${section('Where they differ', differences(runs, head, row))}`;
}

function differences(
  runs: readonly RunView[],
  head: Markup,
  row: (name: string, cell: (run: RunView) => string) => Markup,
): Markup | undefined {
  const settings = new Map(runs.map((run) => [run, leavesOf(run.config)]));
  const keys = [...new Set(runs.flatMap((run) => [...settings.get(run)!.keys()]))];
  const differing = keys.filter((key) => new Set(runs.map((run) => settings.get(run)!.get(key))).size > 1);
  if (differing.length === 0) return undefined;
  return html`<div class="scroll"><table class="runs">${head}<tbody>${differing.slice(0, MOST_DIFFERENCES).map((key) => row(key, (run) => settings.get(run)!.get(key) ?? ''))}</tbody></table></div>`;
}

/** `optimizer.lr` and its value as text, for every value in a configuration. */
function leavesOf(config: unknown, path = '', found: Map<string, string> = new Map()): Map<string, string> {
  if (typeof config === 'object' && config !== null) {
    for (const [key, value] of Object.entries(config))
      leavesOf(value, path === '' ? key : `${path}.${key}`, found);
  } else if (config !== undefined) {
    found.set(path, JSON.stringify(config));
  }
  return found;
}
