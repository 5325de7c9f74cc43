import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { gradientMonitor } from '@hookline/hook-gradient-monitor';
import { jsonLog } from '@hookline/hook-logging';
import { samples, tinyRun } from '@hookline/test-runs';
import { classes, classifier, folderPerTest } from '@hookline/test-support';
import type { FitOptions, TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { report, runEnding } from '../src/index.js';
import { textOf } from './text-of.js';

const folder = folderPerTest();

async function reported(
  hooks: readonly Hook[],
  options: Partial<TrainerOptions> = {},
  fit: Partial<FitOptions> = {},
): Promise<{ html: string; dir: string; printed: string; complaints: string[] }> {
  let printed = '';
  const print = { write: (text: string) => (printed += text) };
  const { trainer, complaints } = tinyRun([...hooks, report({ print })], {
    runsDir: folder.path,
    ...options,
  });
  const data = samples(32);
  const { runDir } = await trainer.fit({ train: data, validation: data, epochs: 4, batchSize: 8, ...fit });
  const file = join(runDir, 'report.html');
  return {
    html: existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : '',
    dir: runDir,
    printed,
    complaints,
  };
}

test('a run leaves one page with its curves, hooks with their cost, model, configuration and versions', async () => {
  const { html, complaints } = await reported([gradientMonitor({ every: 2 }), jsonLog({ every: 2 })]);
  const text = textOf(html);
  expect(html.startsWith('<!doctype html>')).toBe(true);
  for (const heading of [
    'Loss',
    'Learning rate',
    'Samples per second',
    'Norm of all gradients',
    'Epochs',
    'Model',
  ]) {
    expect(text).toContain(heading);
  }
  for (const fact of [
    'completed',
    'best, epoch 4',
    '4 of 4',
    'dense_1',
    '[batch, 4]',
    'json-log',
    'tfjs-core 4.22.0',
  ]) {
    expect(text).toContain(fact);
  }
  expect(text).toMatch(/gradient-monitor your code \d+/);
  expect(html).toContain('&quot;lr&quot;: 0.01');
  expect(html.match(/class="heat"/g)).toHaveLength(4);
  expect(complaints).toEqual([]);
});

test('the page loads nothing: no address, no script but its own', async () => {
  const { html } = await reported([jsonLog()]);
  expect(html.replaceAll('http-equiv', '')).not.toMatch(/https?:|src=|@import|url\(/);
  expect(html).toMatch(/Content-Security-Policy" content="default-src &#39;none&#39;/);
});

test('what names say is text, wherever it appears', async () => {
  const evil = '<script>alert(1)</script>';
  const { html } = await reported([
    {
      name: evil,
      onEpochEnd(ctx) {
        ctx.log({ [`x/${evil}`]: 1, 'val/"><img onerror=alert(1)>': ctx.state.epoch });
        ctx.logger.warn(`${evil} is worried`);
        if (ctx.state.epoch === 2) ctx.stop(`</title>${evil}`);
      },
    },
    jsonLog({ every: 1 }),
  ]);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; is worried');
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('<img');
  // Its own script, and data that no browser runs.
  expect(html.match(/<script(?! type="application\/json")/g)).toHaveLength(1);
});

test('without json-log the page is made from what the hook saw itself', async () => {
  const { html } = await reported([gradientMonitor({ every: 2 })]);
  const text = textOf(html);
  for (const fact of ['val/loss', 'train/loss', '4 of 4', 'Norm of all gradients', 'completed']) {
    expect(text).toContain(fact);
  }
});

test('numbers can be read without a mouse: every curve has a table and a description', async () => {
  const { html } = await reported([jsonLog({ every: 2 })]);
  const charts = html.match(/<figure class="chart">[\s\S]*?<\/figure>/g)!;
  expect(charts.length).toBeGreaterThan(2);
  for (const chart of charts) {
    expect(chart).toMatch(/<svg [^>]*role="img" tabindex="0" aria-label="[^"]+step \d+/);
    expect(chart).toMatch(/<details><summary>Numbers<\/summary><table>[\s\S]*<td>/);
  }
});

test('a run that fails has a page too, with its error', async () => {
  const dying: Hook = {
    name: 'dying',
    onError: 'fail',
    onEpochEnd(ctx) {
      if (ctx.state.epoch === 1) throw new Error('the disk is on fire');
    },
  };
  await expect(reported([dying, jsonLog()])).rejects.toThrow('the disk is on fire');
  const [run] = readdirSync(folder.path);
  const text = textOf(readFileSync(folder.in(run!, 'report.html'), 'utf8'));
  expect(text).toContain('The run failed');
  expect(text).toContain('the disk is on fire');
});

test('a page that cannot be written costs a warning, not the run', async () => {
  const blocker: Hook = {
    name: 'blocker',
    onTrainEnd: (ctx) => void mkdirSync(join(ctx.run.dir!, 'report.html')),
  };
  const { complaints, dir } = await reported([blocker, jsonLog()]);
  expect(complaints).toEqual([expect.stringContaining('The report could not be written')]);
  expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a run that writes nothing prints its curve and leaves nothing', async () => {
  const { printed, html } = await reported([], { runsDir: false });
  expect(printed).toContain('val/loss');
  expect(printed).not.toContain('report.html');
  expect(html).toBe('');
});

test('the end of a run prints its loss as a curve, where the page is and how to open it', async () => {
  const { printed, dir } = await reported([jsonLog()]);
  expect(printed).toMatch(/train\/loss [\d.]+ → [\d.]+ .*val\/loss [\d.]+ → [\d.]+\n/);
  expect(printed.split('\n').filter((line) => /[\u2801-\u28ff]/.test(line))).toHaveLength(5);
  expect(printed).toContain(join(dir, 'report.html'));
  expect(printed).toMatch(
    /\nBest {4}val\/loss [\d.]+ in epoch 4\nReport {2}\S.*report\.html\nOpen {4}\S+ .*report\.html\n$/,
  );
});

test('a program can print the curve and the path itself, after what it has to say', async () => {
  const { printed, dir } = await reported([jsonLog()]);
  expect(await runEnding(dir)).toBe(printed);
});

test('a test after the fit is on the page', async () => {
  const { trainer } = tinyRun([jsonLog(), report({ print: false })], { runsDir: folder.path });
  const { runDir } = await trainer.fit({ train: samples(16), epochs: 1, batchSize: 8 });
  await trainer.test({ data: samples(8) });
  expect(textOf(readFileSync(join(runDir, 'report.html'), 'utf8'))).toContain('test/loss');
});

test('a classifier has a confusion matrix of its validation samples, as its predictions say', async () => {
  const { xs, oneHot, labels } = classes(40);
  const data = { xs: tf.tensor2d(xs), ys: tf.tensor2d(oneHot) };
  const { trainer } = tinyRun([jsonLog(), report({ print: false })], {
    runsDir: folder.path,
    model: () => classifier(),
    loss: 'categoricalCrossentropy',
  });
  const { runDir } = await trainer.fit({ train: data, validation: data, epochs: 2, batchSize: 16 });
  const outputs = (await trainer.predict({ data })) as tf.Tensor;
  const expected = [0, 1, 2].map(() => [0, 0, 0]);
  for (const [at, predicted] of tf.argMax(outputs, 1).dataSync().entries())
    expected[labels[at]!]![predicted]!++;
  const {
    counts,
    samples: counted,
    epoch,
  } = JSON.parse(readFileSync(join(runDir, 'confusion.json'), 'utf8'));
  expect([counts, counted, epoch]).toEqual([expected, 40, 2]);
  expect(textOf(readFileSync(join(runDir, 'report.html'), 'utf8'))).toContain(
    'of 40 validation samples of epoch 2',
  );
});

test('training is the same, to the bit, with and without the report', async () => {
  const weightsWith = async (hooks: Hook[]) => {
    const { trainer, weights } = tinyRun(hooks, { runsDir: folder.path });
    await trainer.fit({ train: samples(32), validation: samples(8), epochs: 2, batchSize: 8 });
    return weights();
  };
  expect(await weightsWith([report({ print: false })])).toEqual(await weightsWith([]));
});
