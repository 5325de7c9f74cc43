import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { programWithThread } from '../test/program-with-thread.js';
import type { Trained, Training } from './train.js';

export interface Ended {
  signal: string | null;
  code: number | null;
  /** Absent when it was struck. */
  trained?: Trained;
  /** The checkpoints that were announced as saved, by this process and those before it. */
  saved: string[];
  errors: string;
}

/**
 * Trains in a separate process. With `closesPipes` nobody reads its standard streams any more as soon as it has said
 * something, and its strike waits for that.
 */
export async function trainInProcess(training: Training, { closesPipes = false } = {}): Promise<Ended> {
  const program = await programWithThread(new URL('./train.ts', import.meta.url));
  const args = [program, JSON.stringify(training)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
    if (closesPipes) closePipes(child, training.strike!.after!);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (...ended) => resolve(ended));
  });
  const saved = existsSync(training.saved) ? readFileSync(training.saved, 'utf8').trim().split('\n') : [];
  return { code, signal, saved, errors, ...(output && { trained: JSON.parse(output) as Trained }) };
}

function closePipes({ stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>, done: string): void {
  stdout.destroy();
  stderr.destroy();
  writeFileSync(done, '');
}

/** A new project, removed after the test, and how it trains unless `changes` say otherwise. */
export function project(changes: Partial<Training> = {}): Training {
  const root = mkdtempSync(join(tmpdir(), 'hookline-proof-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{}');
  return {
    root,
    backend: 'cpu',
    optimizer: { name: 'adam', lr: 0.02 },
    epochs: 4,
    units: 6,
    checkpoint: { every: { steps: 1 }, saveTopK: 2 },
    resume: true,
    losses: join(root, 'losses'),
    saved: join(root, 'saved'),
    ...changes,
  };
}

/** Losses by step, to the bit; a step that was done twice must have given the same. */
export function lossesOf({ losses }: Training): Map<number, string> {
  const bySteps = new Map<number, string>();
  for (const line of readFileSync(losses, 'utf8').trim().split('\n')) {
    const [step, bits] = line.split(' ') as [string, string];
    const before = bySteps.get(Number(step));
    if (before !== undefined && before !== bits)
      throw new Error(`Step ${step} gave ${before}, then ${bits}.`);
    bySteps.set(Number(step), bits);
  }
  return bySteps;
}
