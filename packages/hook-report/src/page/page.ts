import { createSha256 } from '@hookline/host';
import type { RunView } from '@hookline/run-view';
import { chartFigure } from './chart.js';
import { type ChartSection, chartSections } from './charts.js';
import { comparison } from './comparison.js';
import { header } from './header.js';
import { heatmapFigure } from './heatmap.js';
import { html, Markup } from './html.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';
import { confusionTable, epochTable, factList, hookTable, modelTable, section } from './tables.js';

/** All curves of a page share this many points, so that a page stays small whatever was logged. */
const MOST_POINTS = 60_000;
const MOST_OF_A_LINE = 700;
const MOST_HEATMAPS = 24;

/** One run as a page: one file, nothing is loaded from elsewhere. */
export function runPage(run: RunView): string {
  const { histograms, confusion, profile, config } = run;
  const heatmaps = [...histograms].slice(0, MOST_HEATMAPS);
  const left = histograms.size - heatmaps.length;
  return document(`${run.id}, ${run.status}`, [
    header(run),
    ...figures(chartSections([run])),
    section(
      'Histograms over time',
      heatmaps.length > 0 &&
        html`<div class="heats">${heatmaps.map(([name, list]) => heatmapFigure(name.replace(/^grad\/histogram\//, ''), list))}</div>`,
      left > 0 && html`<p class="note">${left} more are in log.jsonl.</p>`,
    ),
    section('Confusion matrix', confusion && confusionTable(confusion)),
    section('Epochs', epochTable(run)),
    section('Hooks and their cost', hookTable(run)),
    section(
      'Where the time went',
      profile &&
        profile.phases.length > 0 &&
        html`<table><tbody>${profile.phases.map(({ name, seconds, share }) => html`<tr><th scope="row">${name}</th><td>${seconds.toFixed(2)} s</td><td>${(share * 100).toFixed(1)} %</td></tr>`)}</tbody></table>`,
    ),
    section('Model', modelTable(run)),
    section('Where it ran', factList(circumstances(run))),
    section(
      'Configuration',
      config !== undefined &&
        html`<details open><summary>As the run recorded it; secrets are left out</summary><pre>${JSON.stringify(config, null, 2)}</pre></details>`,
    ),
  ]);
}

/** Several runs in the same charts. */
export function comparisonPage(runs: readonly RunView[]): string {
  return document(`${runs.length} runs`, [comparison(runs), ...figures(chartSections(runs))]);
}

function figures(sections: readonly ChartSection[]): (Markup | undefined)[] {
  const lines = sections.flatMap(({ charts }) => charts.flatMap((chart) => chart.lines)).length;
  const points = Math.max(40, Math.min(MOST_OF_A_LINE, Math.floor(MOST_POINTS / Math.max(lines, 1))));
  return sections.map(({ heading, charts }) => {
    const drawn = charts.map((chart) => chartFigure(chart, points)).filter((figure) => figure !== undefined);
    return section(heading, drawn.length > 0 && html`<div class="charts">${drawn}</div>`);
  });
}

function circumstances(run: RunView): [string, string][] {
  const versions = Object.entries(run.versions).map(([name, version]): [string, string] => [name, version]);
  return [
    ['commit', `${run.commit ?? ''}${run.isDirty ? ', with changes' : ''}`],
    ['seed', String(run.seed ?? '')],
    ['platform', run.platform ?? ''],
    ['hash of the configuration', (run.configHash ?? '').slice(0, 12)],
    ...versions,
    ['folder', run.folder],
  ];
}

function document(title: string, content: readonly (Markup | undefined)[]): string {
  // Only our own script runs, whatever a log has put into the page.
  const hash = base64Of(createSha256().update(SCRIPT).digest());
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Hookline</title><style>${new Markup(STYLE)}</style></head>
<body><main>${content.filter((part) => part !== undefined)}<footer>Made by Hookline from the folder of the run. Nothing on this page is loaded from elsewhere.</footer></main>
<script>${new Markup(SCRIPT)}</script></body></html>
`.text;
}

function base64Of(hexadecimal: string): string {
  const bytes = hexadecimal.match(/../g) ?? [];
  return btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
}
