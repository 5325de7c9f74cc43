import type { RunView } from '@hookline/run-view';
import { countText, dateText, durationText, numberText } from './format.js';
import { html, type Markup } from './html.js';
import { factList } from './tables.js';

const MOST_WARNINGS = 50;

/** What somebody wants to know first: which run, how it ended, how good it is, and what went wrong. */
export function header(run: RunView): Markup {
  const { best, failure, profile } = run;
  return html`<header><p class="kind">A training run of Hookline</p><h1>${run.id} <span class="status ${run.status}">${run.status}</span></h1>
<p class="sub">${reasonOf(run)}</p>
${failure !== undefined && html`<p class="failure">${failure}</p>`}
${factList([
  ['best', best && `${best.metric} ${numberText(best.value)} in epoch ${best.epoch}`],
  ...latestMetrics(run),
  ['epochs', epochsText(run)],
  ['steps', countText(lastStep(run))],
  ['took', tookText(run)],
  ['parameters', countText(run.parameters)],
  ['backend', [run.backend, run.device].filter(Boolean).join(' on ')],
  ['started (UTC)', dateText(run.startedAt)],
  ['resumed', run.resumes.map(({ step }) => `at step ${countText(step)}`).join(', ')],
  [
    'continues',
    run.earlier.map(({ id, isKnown }) => `${id}${isKnown ? '' : ' (its log is missing)'}`).join(', '),
  ],
])}
${profile && html`<p class="verdict"><b>Profiler:</b> ${profile.verdict}</p>`}
${warnings(run)}</header>`;
}

function reasonOf({ status, stopReason }: RunView): string {
  if (status === 'completed') return 'All epochs are done.';
  if (status === 'stopped') return `Stopped: ${stopReason ?? 'no reason was given'}.`.replace(/\.\.$/, '.');
  if (status === 'error') return 'The run failed.';
  if (status === 'died') return 'The process of this run is gone; its log ends where it died.';
  return status === 'running'
    ? 'The run was not over when this page was made.'
    : 'There is no record of how it ended.';
}

/** A run that was resumed took the time of all its parts. */
export function tookText({ durationMs, earlier }: RunView): string {
  const before = earlier.reduce((sum, each) => sum + (each.durationMs ?? 0), 0);
  if (before === 0 || durationMs === undefined) return durationText(durationMs);
  return `${durationText(before + durationMs)}, ${durationText(durationMs)} of it since it was resumed`;
}

function lastStep({ series }: RunView): number | undefined {
  const steps = [...series.values()].map((each) => each.points().steps.at(-1) ?? 0);
  return steps.length > 0 ? steps.reduce((most, step) => Math.max(most, step), 0) : undefined;
}

export function epochsText({ epochs, plannedEpochs }: RunView): string {
  const last = epochs.at(-1);
  if (last === undefined) return '';
  const done = last.isCutShort ? last.epoch : last.epoch + 1;
  return plannedEpochs === undefined ? String(done) : `${done} of ${plannedEpochs}`;
}

function latestMetrics({ metrics, best }: RunView): [string, string][] {
  return Object.entries(metrics)
    .filter(([name]) => /^(val|test)\//.test(name) && name !== best?.metric)
    .slice(0, 6)
    .map(([name, value]) => [name, numberText(value)]);
}

function warnings({ warnings, skippedLines }: RunView): Markup | undefined {
  const items = warnings
    .slice(0, MOST_WARNINGS)
    .map(
      ({ step, hook, message }) =>
        html`<li>${hook !== undefined && html`<b>${hook}</b> `}${message} <small>step ${step}</small></li>`,
    );
  const more = warnings.length - items.length;
  if (items.length === 0 && skippedLines === 0) return undefined;
  return html`<div class="warnings"><b>${items.length > 0 ? 'Warnings' : 'Note'}</b><ul>${items}
${more > 0 && html`<li>and ${more} more</li>`}${skippedLines > 0 && html`<li>${countText(skippedLines)} lines of the log could not be read.</li>`}</ul></div>`;
}
