import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csv, DataLoader } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import type { Benchmark } from './benchmark.js';
import { consume, writeNumbers } from './csv-reading.js';
import { processorTime } from './processor-time.js';
import { spreadOf } from './statistics.js';

const ROWS = 1_000_000;

/** The seconds that an epoch of a CSV file of 186 MB takes. */
export const csvLarge: Benchmark = async ({ quick }) => {
  await tf.setBackend('cpu');
  const folder = mkdtempSync(join(tmpdir(), 'hookline-csv-'));
  try {
    const file = join(folder, 'numbers.csv');
    writeNumbers(file, quick ? ROWS / 10 : ROWS);
    const [wall, processor]: [number[], number[]] = [[], []];
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const [start, before] = [performance.now(), processorTime()];
      await consume(new DataLoader(csv(file, { labels: 'y' }), { batchSize: 256 }));
      wall.push((performance.now() - start) / 1000);
      processor.push((processorTime() - before) / 1000);
    }
    const megabytes = (statSync(file).size / 1e6).toFixed(0);
    return [
      {
        what: `an epoch of a CSV file of ${megabytes} MB, seconds`,
        count: Number(spreadOf(wall).median.toFixed(2)),
        budget: quick ? 0.6 : 6,
        note: `wall, the middle of ${wall.length}; ${Math.min(...processor).toFixed(2)} s of processor time`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};
