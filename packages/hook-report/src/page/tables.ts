import type { Confusion, RunView } from '@hookline/run-view';
import { countText, durationText, numberText } from './format.js';
import { html, type Markup, type Part } from './html.js';

/** A section that is left out where it has nothing to say. */
export function section(heading: string, ...content: readonly Part[]): Markup | undefined {
  const filled = content.filter(
    (part) => part !== undefined && part !== false && !(Array.isArray(part) && part.length === 0),
  );
  return filled.length === 0 ? undefined : html`<section><h2>${heading}</h2>${filled}</section>`;
}

export function epochTable({ epochs }: RunView): Markup | undefined {
  if (epochs.length === 0) return undefined;
  const names = [...new Set(epochs.flatMap(({ metrics }) => Object.keys(metrics)))].slice(0, 12);
  const stride = Math.ceil(epochs.length / 200);
  const rows = epochs.filter((_, at) => at % stride === 0 || at === epochs.length - 1);
  return html`<details><summary>All epochs</summary><table><thead><tr><th scope="col">epoch</th><th scope="col">step</th>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(({ epoch, step, metrics, isCutShort }) => html`<tr><th scope="row">${epoch + 1}${isCutShort && ' (cut short)'}</th><td>${countText(step)}</td>${names.map((name) => html`<td>${numberText(metrics[name])}</td>`)}</tr>`)}</tbody></table></details>`;
}

/** What each hook cost, and which were off. */
export function hookTable({ hooks, durationMs }: RunView): Markup | undefined {
  if (hooks.length === 0) return undefined;
  const most = Math.max(...hooks.map(({ milliseconds }) => milliseconds ?? 0), 1e-9);
  return html`<table class="wide"><thead><tr><th scope="col">hook</th><th scope="col">from</th><th scope="col">calls</th><th scope="col">time</th><th scope="col">share of the run</th></tr></thead>
<tbody>${hooks.map((hook) => {
    const { name, isOn, reason, calls, milliseconds } = hook;
    const share =
      milliseconds !== undefined && durationMs
        ? `${Number(((milliseconds / durationMs) * 100).toPrecision(2))} %`
        : '';
    const bar = Math.round(((milliseconds ?? 0) / most) * 100);
    return html`<tr${!isOn && html` class="off"`}><th scope="row">${name}</th><td>${hook.package === undefined ? 'your code' : `${hook.package} ${hook.version ?? ''}`}</td>${
      isOn
        ? html`<td>${countText(calls)}</td><td>${durationText(milliseconds)}</td><td><span class="track"><span class="bar" style="width:${bar}px"></span></span>${share}</td>`
        : html`<td colspan="3">off${reason !== undefined && `: ${reason}`}</td>`
    }</tr>`;
  })}</tbody></table><p class="note">Times are estimated from a sample of the calls.</p>`;
}

export function modelTable({ layers, parameters }: RunView): Markup | undefined {
  if (layers.length === 0) return undefined;
  return html`<table class="wide"><thead><tr><th scope="col">layer</th><th scope="col">kind</th><th scope="col">output</th><th scope="col">parameters</th></tr></thead>
<tbody>${layers.slice(0, 300).map((layer) => html`<tr><th scope="row">${layer.path}</th><td>${layer.kind}</td><td>${layer.shape}</td><td>${countText(layer.parameters)}</td></tr>`)}</tbody>
<tfoot><tr><th scope="row" colspan="3">${layers.length > 300 ? `${layers.length} layers, the first 300 are shown` : 'together'}</th><td>${countText(parameters)}</td></tr></tfoot></table>`;
}

export function confusionTable({ counts, samples, epoch }: Confusion): Markup {
  const right = counts.reduce((sum, row, label) => sum + row[label]!, 0);
  const most = Math.max(...counts.flat(), 1);
  const share = numberText((right / Math.max(samples, 1)) * 100);
  return html`<p>Rows are labels, columns are predictions: ${share} % of ${countText(samples)} validation samples of epoch ${epoch} are on the diagonal.</p>
<div class="scroll"><table class="confusion"><thead><tr><th></th>${counts.map((_, at) => html`<th scope="col">${at}</th>`)}<th scope="col">found</th></tr></thead>
<tbody>${counts.map((row, label) => {
    const total = row.reduce((sum, count) => sum + count, 0);
    const cells = row.map((count, predicted) => {
      const strength = count === 0 ? 0 : 0.12 + 0.88 * Math.sqrt(count / most);
      const kind = `${predicted === label ? 'right' : 'wrong'}${strength > 0.6 ? ' strong' : ''}`;
      return html`<td class="${kind}" style="--s:${strength.toFixed(2)}">${count === 0 ? '' : count}</td>`;
    });
    return html`<tr><th scope="row">${label}</th>${cells}<td>${total === 0 ? '' : `${numberText((row[label]! / total) * 100)} %`}</td></tr>`;
  })}</tbody></table></div>`;
}

/** Names and values; those without a value are left out. */
export function factList(facts: readonly (readonly [string, Part])[]): Markup {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return html`<dl>${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
