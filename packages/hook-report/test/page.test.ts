import type { LogLine, RunView } from '@hookline/run-view';
import { epochLine, logged, viewOf } from '@hookline/test-support/run-views';
import { expect, test } from 'vitest';
import { runPage } from '../src/page/page.js';
import { SCRIPT } from '../src/page/script.js';
import { textOf } from './text-of.js';

const histogram = (name: string): LogLine => ({
  event: 'histogram',
  name,
  step: 1,
  edges: [0, 1],
  counts: [1],
});

test('a name that is a script is text wherever a run can bring one in', () => {
  const evil = `</script></style></title><script>alert("1")</script>`;
  const html = runPage(
    viewOf(
      [
        epochLine(0, { [`val/${evil}`]: 1, [`train/${evil}`]: 2 }),
        logged(1, { [`lr/${evil}`]: 1, [`grad/norm/${evil}`]: 1, [evil]: 3, [`x/${evil}`]: 4 }),
        histogram(evil),
        { event: 'warning', step: 1, hook: evil, message: evil },
      ],
      {
        id: evil,
        folder: evil,
        status: 'stopped',
        stopReason: evil,
        failure: evil,
        startedAt: evil,
        backend: evil,
        device: evil,
        platform: evil,
        configHash: evil,
        commit: evil,
        config: { [evil]: evil },
        versions: { [evil]: evil },
        layers: [{ path: evil, kind: evil, shape: evil, parameters: 1 }],
        hooks: [
          { name: evil, package: evil, version: evil, isOn: true },
          { name: evil, isOn: false, reason: evil },
        ],
        best: { metric: `val/${evil}`, value: 1, epoch: 1 },
        metrics: { [`val/${evil}`]: 1, [`test/${evil}`]: 2 },
        earlier: [{ id: evil, isKnown: false }],
        profile: { verdict: evil, phases: [{ name: evil, seconds: 1, share: 1 }] },
      },
    ),
  );
  expect(html).not.toContain('<script>alert');
  expect(html.match(/<title>/g)).toHaveLength(1);
  expect(html.match(/<\/title>/g)).toHaveLength(1);
  // Its own script, and data that no browser runs.
  expect(html.match(/<script(?! type="application\/json")/g)).toHaveLength(1);
  expect(html.match(/&lt;script&gt;alert\(&quot;1&quot;\)/g)!.length).toBeGreaterThan(30);
});

test('only the script of the page itself may run: its policy names the hash of it', async () => {
  const html = runPage(viewOf());
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(SCRIPT));
  const hash = Buffer.from(bytes).toString('base64');
  expect(html).toContain(`script-src &#39;sha256-${hash}&#39;`);
  expect(html).toContain(`<script>${SCRIPT}</script>`);
  expect(html).toContain('default-src &#39;none&#39;');
});

test('sections without anything to say are left out', () => {
  const headings = (run: RunView) =>
    [...runPage(run).matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings(viewOf())).toEqual(['Where it ran']);
  const full = viewOf([epochLine(0, { 'val/loss': 1 }), histogram('w')], {
    config: {},
    confusion: { epoch: 1, samples: 1, counts: [[1]] },
    profile: { verdict: 'x', phases: [{ name: 'data', seconds: 1, share: 1 }] },
    hooks: [{ name: 'a', isOn: true }],
    layers: [{ path: 'a', kind: 'Dense', shape: '', parameters: 1 }],
  });
  expect(headings(full)).toEqual([
    'Loss and metrics',
    'Histograms over time',
    'Confusion matrix',
    'Epochs',
    'Hooks and their cost',
    'Where the time went',
    'Model',
    'Where it ran',
    'Configuration',
  ]);
});

test('commit, versions, seed and platform are there, and whether files differed from the commit', () => {
  const text = textOf(
    runPage(
      viewOf([], {
        commit: 'abc123',
        isDirty: true,
        seed: 7,
        platform: 'linux x64',
        configHash: '0123456789abcdef',
        versions: { node: '20.1.0', 'tfjs-core': '4.22.0' },
      }),
    ),
  );
  expect(text).toContain('commit abc123, with changes seed 7 platform linux x64');
  expect(text).toContain('hash of the configuration 0123456789ab node 20.1.0 tfjs-core 4.22.0');
});

test('24 histograms are drawn, and the rest is counted', () => {
  const html = runPage(viewOf(Array.from({ length: 30 }, (_, at) => histogram(`grad/histogram/p${at}`))));
  expect(html.match(/class="heat"/g)).toHaveLength(24);
  expect(textOf(html)).toContain('6 more are in log.jsonl.');
  expect(html).toContain('<figcaption>p0</figcaption>');
});

test('hundreds of long curves share a budget of points: the page stays small', () => {
  const names = Array.from({ length: 48 }, (_, at) => (at < 24 ? `val/${at}` : `m/${at}`));
  const lines = Array.from({ length: 1_500 }, (_, step) =>
    logged(step, Object.fromEntries(names.map((name, at) => [name, Math.sin(step * (at + 1))]))),
  );
  const html = runPage(viewOf(lines));
  expect(html.match(/<figure class="chart">/g)).toHaveLength(48);
  expect(html.length).toBeLessThan(2_500_000);
});

test('what the printer opens is the table of epochs, not the numbers below every chart', () => {
  expect(SCRIPT).toContain("addEventListener('beforeprint'");
  expect(SCRIPT).toContain("querySelectorAll('section>details')");
  const html = runPage(viewOf([epochLine(0, { 'val/loss': 1 })]));
  expect(html).toMatch(/<section><h2>Epochs<\/h2><details>/);
  expect(html).toMatch(/<\/script>\s*<details><summary>Numbers/);
});
