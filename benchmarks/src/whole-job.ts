import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const DIGITS = file('../../examples/digits/data/digits.csv.gz');

/** 20 epochs on the digits with checkpoints, early stopping and logs, then a test: processes, from start to end. */
const JOBS = {
  hookline: [process.execPath, file('./whole-job-program.js')],
  Lightning: [python('HOOKLINE_PYTHON'), file('../src/whole-job.py'), 'lightning'],
  'Keras on torch': [python('HOOKLINE_PYTHON'), file('../src/whole-job.py'), 'torch'],
  // TensorFlow wants another numpy than the rest, and so another environment.
  'Keras on TensorFlow': [python('HOOKLINE_PYTHON_TENSORFLOW'), file('../src/whole-job.py'), 'tensorflow'],
} as const;

type Name = keyof typeof JOBS;

export const wholeJob: Benchmark = async (settings) => {
  const names = Object.keys(JOBS) as Name[];
  const times: Times<string> = {};
  const missing = new Set<Name>();
  // The first time of each is thrown away: files are read from the disk and compiled by Python.
  for (let round = -1; round < Math.ceil(roundsFor(settings) / 4); round++) {
    for (const name of names.filter((each) => !missing.has(each))) {
      const milliseconds = await jobTime(JOBS[name]);
      if (milliseconds === undefined) missing.add(name);
      else if (round >= 0) times[name] = [...(times[name] ?? []), milliseconds];
    }
  }
  const ran = names.filter((name) => times[name]);
  const note = ran.map((name) => `${name} ${(Math.min(...times[name]!) / 1000).toFixed(2)} s`).join(', ');
  const rows: Row[] = ran
    .filter((name) => name !== 'hookline')
    .map((name) => ({
      ...{
        what: `digits, the whole job / ${name}`,
        ratio: ratioOf(times, 'hookline', name),
        budget: 0.5,
        note,
      },
    }));
  return rows.length > 0 ? rows : [{ what: 'digits, the whole job', count: 0, note }];
};

function python(variable: string): string {
  return process.env[variable] ?? 'python3';
}

/** Undefined where the job cannot be done here: Python or a package is missing. */
async function jobTime([command, ...args]: readonly [string, ...string[]]): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-whole-job-'));
  try {
    const start = performance.now();
    const child = spawn(command, [...args, DIGITS], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    const [code] = await Promise.race([once(child, 'close'), once(child, 'error').then(() => [127])]);
    if (code === 0) return performance.now() - start;
    if (code === 127 || /No module named/.test(errors)) return undefined;
    throw new Error(`${args.join(' ')} ended with ${code}: ${errors.slice(-2000)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
