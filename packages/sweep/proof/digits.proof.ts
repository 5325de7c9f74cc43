import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { openSweep } from '../src/open-sweep.js';
import { runSweep } from '../src/run-sweep.js';
import type { Job } from '../src/schedule.js';
import { startTrial, type TrialEnd } from '../src/trial/start-trial.js';

const folder = folderPerTest();
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const from = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../../${path}`, import.meta.url)));

const CONFIG = `
  import { checkpoint } from ${from('packages/hook-checkpoint/src/index.ts')};
  import { digitsModel } from ${from('examples/digits/src/digits-model.ts')};
  import { gunzipSync } from 'node:zlib';
  import { readFileSync } from 'node:fs';
  const rows = gunzipSync(readFileSync(${from('examples/digits/data/digits.csv.gz')})).toString('utf8').trim().split('\\n')
    .map((line) => line.split(',').map(Number));
  const images = (kept) => ({
    xs: Float32Array.from(kept.flatMap((row) => row.slice(0, 64).map((pixel) => pixel / 16))),
    ys: Int32Array.from(kept.map((row) => row[64])),
  });
  export default {
    model: digitsModel,
    data: {
      train: images(rows.filter((_, line) => line % 7 > 1)),
      validation: images(rows.filter((_, line) => line % 7 === 1)),
    },
    loss: 'sparseSoftmaxCrossentropy',
    metrics: ['accuracy'],
    optimizer: { name: 'adam', lr: 0.003 },
    discover: false,
    hooks: [checkpoint({ async: false, saveTopK: 1 })],
    seed: 1,
    fit: { epochs: 9, batchSize: 32 },
  };`;

const SPACE = `space: {
  'optimizer.lr': { kind: 'logUniform', low: 1e-5, high: 0.3 },
  'fit.batchSize': { kind: 'choice', values: [32, 64] },
}`;

async function digitsSweep(settings: string): Promise<string> {
  const config = await bundledProgram(CONFIG, PACKAGE);
  writeFileSync(folder.in('package.json'), '{ "name": "digits", "type": "module" }');
  const file = folder.in(`sweep-${Math.random()}.mjs`);
  writeFileSync(file, `export default { config: ${JSON.stringify(config)}, ${SPACE}, ${settings} };`);
  return file;
}

const trialProgram = () => bundledProgram(new URL('../src/trial/trial-program.ts', import.meta.url), PACKAGE);

/** The values in the order in which they were found, each with the steps of the whole sweep until then. */
async function foundBy(settings: string): Promise<{ steps: number; value: number }[]> {
  const open = await openSweep(await digitsSweep(settings));
  const found: { steps: number; value: number }[] = [];
  const trained = new Map<number, number>();
  let steps = 0;
  const onEnd = ({ trial }: Job, end: TrialEnd) => {
    if (end === 'interrupted' || 'error' in end) throw new Error(`trial ${trial}: ${JSON.stringify(end)}`);
    steps += end.outcome.steps - (trained.get(trial) ?? 0);
    trained.set(trial, end.outcome.steps);
    found.push({ steps, value: end.outcome.value });
  };
  const program = await trialProgram();
  await runSweep(open, {
    workers: 1,
    signal: new AbortController().signal,
    start: (task, ending) => startTrial(task, ending, program),
    onEnd,
  });
  return found;
}

/** The share of the steps of random search after which halving has found its best value; Infinity: it never did. */
async function shareOfSteps(seed: number): Promise<number> {
  const random = await foundBy(
    `search: 'random', trials: 10, seed: ${seed}, halving: false, dir: 'random-${seed}'`,
  );
  const halving = await foundBy(`search: 'random', trials: 18, seed: ${seed}, dir: 'halving-${seed}'`);
  const best = Math.min(...random.map(({ value }) => value));
  const all = random.at(-1)!.steps;
  const { steps = Infinity } = halving.find(({ value }) => value <= best) ?? {};
  console.log(`seed ${seed}: random search ${best.toFixed(4)} in ${all} steps; halving after ${steps} steps`);
  return steps / all;
}

/** Three times two searches take minutes on a quiet machine, and a CI machine is not quiet. */
const THREE_SEARCHES_MS = 30 * 60_000;

test(
  'on the digits, halving finds the best of random search with at most half of its steps, by the median of three seeds',
  async () => {
    const shares: number[] = [];
    for (const seed of [1, 2, 3]) shares.push(await shareOfSteps(seed));
    expect(shares.sort((a, b) => a - b)[1]).toBeLessThanOrEqual(0.5);
  },
  THREE_SEARCHES_MS,
);

test('a sweep of ten trials that is killed on the way continues, and ends as if it had not been', async () => {
  const file = await digitsSweep(`search: 'random', trials: 10, seed: 3, dir: 'killed'`);
  const program = await bundledProgram(new URL('./sweep-process.ts', import.meta.url), PACKAGE);
  const run = async (killAfter: number) => {
    const child = spawn(process.execPath, [program, file, await trialProgram()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let ended = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      ended += chunk.toString().trim().split('\n').length;
      if (ended >= killAfter) child.kill('SIGKILL');
    });
    return new Promise<string | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
  };
  expect(await run(4)).toBe('SIGKILL');
  expect(await run(Infinity)).toBeNull();
  const trials = (await openSweep(file)).journal.trials();
  expect(trials).toHaveLength(10);
  expect(
    trials.every(({ failed, running, interrupted }) => (failed ?? running ?? interrupted) === undefined),
  ).toBe(true);
  // Steps per rung are those of the plan: nothing was trained twice, nothing was left out.
  for (const { outcomes, point } of trials) {
    const perEpoch = Math.ceil(1283 / (point['fit.batchSize'] as number));
    outcomes.forEach(({ epochs, steps }) => {
      expect(steps).toBe(epochs * perEpoch);
    });
  }
  expect(Math.max(...trials.map(({ outcomes }) => outcomes.length))).toBe(3);
});
