import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyFolder } from '@hookline/safetensors/node';
import { seeded, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { programWithThread } from '../test/program-with-thread.js';
import type { Fault } from './print.js';

/** Of each kind: 4 by default, 40 with HOOKLINE_LONG_PROOF=1. */
const TRIALS = process.env.HOOKLINE_LONG_PROOF ? 40 : 4;

const STREAMS: readonly Fault['streams'][] = [['stdout'], ['stderr'], ['stdout', 'stderr']];

let undisturbed: Promise<Outcome> | undefined;

test.each<Fault['kind']>(['throws', 'throws once', 'is full', 'is full from the start', 'loses its reader'])(
  `a standard stream that %s at a random moment costs its output and nothing else, ${TRIALS} times`,
  async (kind) => {
    undisturbed ??= train({ streams: ['stdout', 'stderr'], kind: 'throws', at: 1e9 });
    const { weights, writes, checkpoints } = await undisturbed;
    const random = seeded(kind.length);
    let reached = 0;
    for (let trial = 0; trial < TRIALS; trial++) {
      const fault = {
        kind,
        streams: STREAMS[trial % STREAMS.length]!,
        at: kind === 'is full from the start' ? 0 : Math.floor(random() * writes),
      };
      const outcome = await train(fault);
      expect(outcome, `${JSON.stringify(fault)}\n${outcome.errors}`).toMatchObject({ code: 0, weights });
      expect(outcome.checkpoints).toEqual(checkpoints);
      if (outcome.writes > fault.at) reached++;
    }
    // Otherwise nothing was proved.
    expect(reached).toBeGreaterThan(0);
  },
);

interface Outcome {
  code: number | null;
  errors: string;
  weights: string;
  /** To the standard streams. */
  writes: number;
  checkpoints: string[];
}

/** Trains in a process, and checks that what it left on the disk is whole. */
async function train(fault: Fault): Promise<Outcome> {
  const root = tempFolder({ 'package.json': {} });
  const program = await programWithThread(new URL('./print.ts', import.meta.url));
  const full = openSync('/dev/full', 'w');
  const stdio = (['stdout', 'stderr'] as const).map((name) =>
    fault.kind === 'is full from the start' && fault.streams.includes(name) ? full : ('pipe' as const),
  );
  const child = spawn(process.execPath, [program, root, JSON.stringify(fault)], {
    stdio: ['ignore', ...stdio],
    env: { ...process.env, CI: '', TERM: 'xterm' },
  });
  closeSync(full);
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  child.stdout?.resume();
  if (fault.kind === 'loses its reader') stopReading(child, fault);
  const [code] = await once(child, 'exit');
  const [id, ...others] = readdirSync(join(root, 'runs'));
  expect(others).toEqual([]);
  const run = join(root, 'runs', id!);
  const record = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8'));
  expect(record, errors).toMatchObject({ status: 'completed', finishedAt: expect.any(String) });
  const dir = join(run, 'checkpoints');
  const entries = readdirSync(dir, { withFileTypes: true }).filter((each) => each.isDirectory());
  const checkpoints = entries.map(({ name }) => name).sort();
  for (const name of checkpoints) expect(await verifyFolder(join(dir, name))).toMatchObject({ ok: true });
  return { code, errors, checkpoints, ...JSON.parse(readFileSync(join(root, 'outcome'), 'utf8')) };
}

/** A reader goes away after so many lines. */
function stopReading(child: ChildProcess, { streams, at }: Fault): void {
  for (const name of streams) {
    let lines = 0;
    child[name]!.on('data', (text: Buffer) => {
      lines += String(text).split(/[\r\n]/).length - 1;
      if (lines >= at / streams.length) child[name]!.destroy();
    });
  }
}
