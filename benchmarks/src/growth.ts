import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Benchmark, Row } from './benchmark.js';
import { spreadOf } from './statistics.js';

/** Dense layers of one width. What differs from the first of a series is what grows. */
export interface Size {
  batch: number;
  width: number;
  depth: number;
}

export interface Grown {
  /** Milliseconds of a step. */
  step: number;
  /** The most memory that the process has had, in bytes. */
  peak: number;
}

const SERIES: Readonly<Record<string, readonly Size[]>> = {
  batch: [32, 128, 512, 2048].map((batch) => ({ batch, width: 256, depth: 3 })),
  // Up to 50 million parameters.
  width: [64, 256, 1024, 4096].map((width) => ({ batch: 32, width, depth: 3 })),
  depth: [2, 8, 32].map((depth) => ({ batch: 32, width: 256, depth })),
};

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SIDES = {
  hookline: [process.execPath, file('./growth-program.js')],
  torch: [process.env.HOOKLINE_PYTHON ?? 'python3', file('../src/growth.py')],
} as const;

/** Time and memory of a fit against PyTorch with as many threads as it takes, each alone, as the model or its batches grow. */
export const growth: Benchmark = async ({ quick }) => {
  const rows: Row[] = [];
  for (const [what, sizes] of Object.entries(SERIES)) {
    for (const size of quick ? sizes.slice(0, 2) : sizes) {
      const ours: Grown[] = [];
      const theirs: Grown[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        ours.push(trained('hookline', size)!);
        const other = trained('torch', size);
        if (other) theirs.push(other);
      }
      rows.push(...rowsOf(`${what} ${size[what as keyof Size]}`, ours, theirs));
    }
  }
  return rows;
};

function rowsOf(size: string, ours: readonly Grown[], theirs: readonly Grown[]): Row[] {
  const least = (of: readonly Grown[], key: keyof Grown) => Math.min(...of.map((each) => each[key]));
  const note = [ours, theirs]
    .filter((of) => of.length > 0)
    .map((of) => `${least(of, 'step').toFixed(2)} ms, ${(least(of, 'peak') / 2 ** 20).toFixed(0)} MB`)
    .join(' / ');
  if (theirs.length === 0) return [{ what: `growth, ${size}`, count: 0, note }];
  const ratio = (key: keyof Grown) => spreadOf(ours.map((each, round) => each[key] / theirs[round]![key]));
  return [
    { what: `growth, ${size}: a step / torch`, ratio: ratio('step'), note },
    { what: `growth, ${size}: peak memory / torch`, ratio: ratio('peak'), budget: 1.2, note },
  ];
}

/** Undefined where there is no torch. */
function trained(side: keyof typeof SIDES, size: Size): Grown | undefined {
  const [command, ...args] = SIDES[side];
  const { status, stdout, stderr, error } = spawnSync(command, [...args, JSON.stringify(size)], {
    encoding: 'utf8',
  });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1)!) as Grown;
  if (side === 'torch' && (error || /No module named/.test(stderr))) return undefined;
  throw new Error(`${side} with ${JSON.stringify(size)}: ${error ?? stderr}`);
}
