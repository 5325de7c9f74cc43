import { appendFileSync, createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { csv, DataLoader } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type Benchmark, roundsFor } from './benchmark.js';
import { race, ratioOf } from './paired.js';
import { processorTime } from './processor-time.js';

const [ROWS, FEATURES, BATCH, PIECE] = [100_000, 20, 256, 50_000];

/** An epoch of a CSV file of 19 MB in batches, against a generator that splits its lines and calls `Number`. */
export const csvReading: Benchmark = async (settings) => {
  await tf.setBackend('cpu');
  const folder = mkdtempSync(join(tmpdir(), 'hookline-csv-'));
  try {
    const file = join(folder, 'numbers.csv');
    writeNumbers(file);
    const loader = () => consume(new DataLoader(csv(file, { labels: 'y' }), { batchSize: BATCH }));
    const times = await race(
      { csv: loader, readline: () => readLines(file) },
      { rounds: roundsFor(settings), warmUp: 1, repeats: 1, clock: processorTime },
    );
    const [own, other] = [times.csv, times.readline].map(
      (all) => `${(Math.min(...all) / 1000).toFixed(2)} s`,
    );
    return [
      {
        what: 'an epoch of a CSV file / a readline generator',
        ratio: ratioOf(times, 'csv', 'readline'),
        budget: 0.69,
        note: `${own} / ${other} of processor time for ${ROWS} rows of ${FEATURES + 1} numbers`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Written in pieces: text as large as a file of many rows would not fit into one string. */
export function writeNumbers(file: string, rows = ROWS): void {
  const names = Array.from({ length: FEATURES }, (_, i) => `x${i}`);
  let lines = [[...names, 'y'].join(',')];
  writeFileSync(file, '');
  for (let row = 0; row < rows; row++) {
    const numbers = names.map((_, i) => (Math.sin(row * 31 + i * 7) * 3).toFixed(6));
    lines.push([...numbers, row % 10].join(','));
    if (lines.length < PIECE && row < rows - 1) continue;
    appendFileSync(file, `${lines.join('\n')}\n`);
    lines = [];
  }
}

export async function consume(loader: DataLoader): Promise<void> {
  for await (const batch of loader) tf.dispose(batch as never);
}

async function readLines(file: string): Promise<void> {
  let xs: number[][] = [];
  let isHeader = true;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    xs.push(line.split(',').map(Number));
    if (xs.length < BATCH) continue;
    tf.dispose([tf.tensor2d(xs.map((row) => row.slice(0, -1))), tf.tensor1d(xs.map((row) => row.at(-1)!))]);
    xs = [];
  }
}
