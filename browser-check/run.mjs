// node browser-check/run.mjs: trains in Chromium with the built packages, and compares it with cpu and with Node.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSafetensors } from '@hookline/safetensors';
import { bundlers } from './bundle.mjs';
import { findChromium, openUntil } from './chromium.mjs';
import { inNode } from './in-node.mjs';
import { withPage } from './serve.mjs';

/** Between gradients of wasm and cpu, relative to the largest. */
const tolerance = 1e-5;

/** @type {{ bundler: keyof typeof bundlers, worker: boolean, isolated: boolean }[]} */
const places = [
  { bundler: 'esbuild', worker: false, isolated: false },
  { bundler: 'esbuild', worker: true, isolated: true },
  { bundler: 'vite', worker: false, isolated: true },
];

const folder = mkdtempSync(join(tmpdir(), 'hookline-browser-'));
try {
  const chromium = findChromium();
  const expected = inNode('in-node.ts');
  const model = join(folder, 'model');
  const predictions = inNode('exported.ts', model);
  for (const [name, bundle] of Object.entries(bundlers)) await bundle(join(folder, name));
  for (const { bundler, ...place } of places) {
    const answer = await withPage({ ...place, model, folder: join(folder, bundler) }, (url, answered) =>
      openUntil(chromium, url, answered),
    );
    judge(answer, place, expected);
    const gap = distance(answer.found.predictions, predictions);
    assert.ok(gap < tolerance, `the exported model predicts otherwise in the browser, by ${gap}`);
    console.log(`${bundler}, ${summary(answer.found)}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {import('./serve.mjs').Answer} answer
 * @param {{ worker: boolean, isolated: boolean }} place
 * @param {import('./src/found.ts').Found['exact']} expected
 */
function judge({ found, file }, { worker, isolated }, expected) {
  assert.equal(found.where, worker ? 'a worker' : 'a page');
  assert.equal(found.isolated, isolated);
  assert.equal(found.backend, 'wasm', 'importing register makes wasm the active backend');
  for (const name of /** @type {const} */ (['CNN', 'LSTM'])) {
    for (const { losses } of [found.fast[name], found.exact[name]]) {
      assert.ok(Number(losses.at(-1)) < 0.8 * Number(losses[0]), `${name} does not learn: ${losses}`);
    }
    const gap = distance(found.onWasm[name], found.onCpu[name]);
    assert.ok(gap < tolerance, `gradients of the ${name} differ from those of cpu by ${gap}`);
    assert.deepEqual(found.exact[name], expected[name], `the ${name} of Node and of the browser differ`);
  }
  const { metadata, tensors } = parseSafetensors(file);
  const inFile = Array.from(tensors, (_, i) => Array.from(tensors.get(`weight-${i}`)?.data ?? [], Number));
  assert.equal(metadata.get('made'), 'in a browser');
  assert.deepEqual(
    inFile.flat(),
    expected.CNN.weights,
    'the weights that Node finds in the file of the browser',
  );
  assert.deepEqual(found.fromFile, expected.CNN.weights, 'the weights that the browser finds in its file');
  assert.match(found.tapped.join(' '), /^lstm_\S+ lstm_\S+ dense_\S+$/, 'layers that were tapped');
  assert.deepEqual(found.hookKinds, ['lifecycle']);
}

/** @param {import('./src/found.ts').Found} found */
function summary({ where, isolated, fma, fast, onWasm, onCpu }) {
  const course = (/** @type {number[]} */ losses) =>
    `${losses[0]?.toFixed(3)} to ${losses.at(-1)?.toFixed(3)}`;
  const gap = Math.max(distance(onWasm.CNN, onCpu.CNN), distance(onWasm.LSTM, onCpu.LSTM));
  return (
    `${where}${isolated ? ' that may have threads' : ''}, FMA ${fma ? 'on' : 'off'}: CNN ${course(fast.CNN.losses)}, ` +
    `LSTM ${course(fast.LSTM.losses)}; gradients within ${gap.toExponential(1)} of cpu; without FMA every bit as in Node`
  );
}

/**
 * @param {number[]} actual
 * @param {number[]} expected
 */
function distance(actual, expected) {
  assert.equal(actual.length, expected.length);
  const largest = Math.max(...expected.map(Math.abs));
  return Math.max(...actual.map((value, i) => Math.abs(value - Number(expected[i])))) / largest;
}
