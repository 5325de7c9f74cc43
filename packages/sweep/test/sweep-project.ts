import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPointer } from '@hookline/safetensors/node';
import { bundledProgram } from '@hookline/test-programs';
import { type OpenSweep, openSweep } from '../src/open-sweep.js';
import type { TrialResult } from '../src/results.js';
import { runSweep, type SweepRunOptions } from '../src/run-sweep.js';
import { startTrial } from '../src/trial/start-trial.js';
import type { TrialTask } from '../src/trial/trial-task.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** A small regression that saves a checkpoint after each epoch; `extra` is added to its hooks. */
const trainingConfig = (extra: string) => `
  import { checkpoint } from ${JSON.stringify(source('hook-checkpoint'))};
  import { earlyStopping } from ${JSON.stringify(source('hook-early-stopping'))};
  import { layers, sequential } from '@tensorflow/tfjs-layers';
  const xs = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i));
  const ys = xs.map((x) => 2 * x + 1);
  export default {
    model: ({ units }) => sequential({
      layers: [layers.dense({ units, activation: 'relu', inputShape: [1] }), layers.dense({ units: 1 })],
    }),
    data: { train: { xs, ys }, validation: { xs, ys } },
    loss: 'meanSquaredError',
    optimizer: { name: 'adam', lr: 0.01 },
    schedule: { name: 'cosine', epochs: 4 },
    hyperparameters: { units: 4 },
    discover: false,
    hooks: [checkpoint({ async: false, saveTopK: 1 }), ${extra}],
    seed: 7,
    backend: 'cpu',
    fit: { epochs: 4, batchSize: 16 },
  };`;

/** Writes a project with a training config and this sweep; returns the sweep's file, which Node has not imported yet. */
export async function sweepProject(folder: string, sweep: string, extraHooks = ''): Promise<string> {
  const config = await bundledProgram(trainingConfig(extraHooks), PACKAGE);
  writeFileSync(join(folder, 'package.json'), '{ "name": "swept", "type": "module" }');
  const file = join(folder, `sweep-${randomUUID()}.mjs`);
  writeFileSync(
    file,
    `const logUniform = (low, high) => ({ kind: 'logUniform', low, high });
     const choice = (...values) => ({ kind: 'choice', values });
     export default { config: ${JSON.stringify(config)}, dir: 'sweep', ${sweep} };`,
  );
  return file;
}

/** Runs a sweep with real processes. */
export async function runFile(
  file: string,
  options: Partial<SweepRunOptions> = {},
): Promise<{ open: OpenSweep; results: TrialResult[] }> {
  const open = await openSweep(file);
  const program = await bundledProgram(new URL('../src/trial/trial-program.ts', import.meta.url), PACKAGE);
  const signal = new AbortController().signal;
  const start = (task: TrialTask, ending: AbortSignal) => startTrial(task, ending, program);
  const results = await runSweep(open, { workers: 2, signal, start, ...options });
  return { open, results };
}

/** What the weights of a trial hash to in its newest checkpoint. */
export async function weightsOf({ journal }: OpenSweep, trial: number): Promise<string> {
  const run = lastRun(join(journal.folder, 'trials', String(trial).padStart(4, '0')));
  const newest = (await readPointer(join(run, 'checkpoints', 'last.json'))) as string;
  const manifest = readFileSync(join(run, 'checkpoints', newest, 'manifest.json'), 'utf8');
  return JSON.parse(manifest).files['model.safetensors'].sha256;
}

/**
 * A trial that goes on has a new run, which begins from the checkpoint of the one before. Several may begin in one second,
 * so the names of their folders do not tell which was last.
 */
function lastRun(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const runs = entries.map(({ name }) => join(folder, name));
  const startOf = (run: string): string => JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')).startedAt;
  return runs.sort((a, b) => startOf(a).localeCompare(startOf(b))).at(-1)!;
}

function source(name: string): string {
  return fileURLToPath(new URL(`../../${name}/src/index.ts`, import.meta.url));
}
