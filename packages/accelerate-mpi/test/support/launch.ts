import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { tempFolder } from '@hookline/test-support';
import type { Trained, Training } from './train.js';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

export interface Launched {
  code: number | null;
  signal: string | null;
  output: string;
  errors: string;
  seconds: number;
  /** What the ranks that finished have written, by rank. */
  ranks: Trained[];
}

/** A new project, and how it trains unless `changes` say otherwise. */
export function project(changes: Partial<Training> = {}): Training {
  const root = tempFolder({
    'package.json': { name: 'project' },
    'node_modules/@hookline/accelerate-mpi/package.json': { type: 'module', exports: './index.js' },
    'node_modules/@hookline/accelerate-mpi/index.js':
      'export const connect = (options) => globalThis.connectMpi(options);',
  });
  const small = { epochs: 3, samples: 22, batchSize: 8, units: 5, kind: 'mlp', backend: 'cpu' } as const;
  return {
    root,
    ...small,
    strategy: 'simple',
    checkpointEvery: 0,
    checkpoint: { saveTopK: 1 },
    logs: false,
    ...changes,
  };
}

/** Trains in processes of their own: by themselves, or under a launcher such as `mpirun -n 2`. */
export async function launch(
  training: Training,
  launcher: readonly string[] = [],
  env = {},
): Promise<Launched> {
  for (const file of readdirSync(training.root)) {
    if (/^rank-\d+\.json$/.test(file)) rmSync(join(training.root, file));
  }
  const [command, ...args] = [...launcher, process.execPath, await program(), JSON.stringify(training)];
  const started = performance.now();
  const child = spawn(command!, args, {
    cwd: training.root,
    env: { ...process.env, HOOKLINE_LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (...ended) => resolve(ended));
  });
  const seconds = (performance.now() - started) / 1000;
  return { code, signal, output, errors, seconds, ranks: ranksIn(training.root) };
}

function ranksIn(root: string): Trained[] {
  const files = Array.from({ length: 64 }, (_, rank) => join(root, `rank-${rank}.json`));
  return files
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Trained);
}

/** Losses by step, to the bit; a step that was done twice must have given the same. */
export function lossesOf({ root }: Training): Map<number, string> {
  const bySteps = new Map<number, string>();
  for (const line of readFileSync(join(root, 'losses'), 'utf8').trim().split('\n')) {
    const [step, bits] = line.split(' ') as [string, string];
    const before = bySteps.get(Number(step));
    if (before !== undefined && before !== bits)
      throw new Error(`Step ${step} gave ${before}, then ${bits}.`);
    bySteps.set(Number(step), bits);
  }
  return bySteps;
}

let made: Promise<string> | undefined;

/** The program as one file, with the threads that it starts beside it. */
function program(): Promise<string> {
  made ??= make();
  return made;
}

async function make(): Promise<string> {
  const bundle = (path: string) => bundledProgram(new URL(path, import.meta.url), PACKAGE);
  const main = await bundle('./train.ts');
  const folder = main.replace(/\.mjs$/, '');
  await mkdir(folder, { recursive: true });
  await copyFile(main, join(folder, 'program.mjs'));
  await copyFile(await bundle('../../src/thread/mpi-thread.ts'), join(folder, 'mpi-thread.mjs'));
  const saving = '../../../hook-checkpoint/src/save/save-thread.ts';
  await copyFile(await bundle(saving), join(folder, 'save-thread.mjs'));
  return join(folder, 'program.mjs');
}
