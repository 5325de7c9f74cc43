import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { createLogger, type Loader, Trainer } from '@hookline/trainer';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { processorTime } from './processor-time.js';
import { createBatches, MLP } from './workloads.js';

/** Steps from one checkpoint to the next, of which the design speaks. */
const STEPS = 100;

/**
 * What a checkpoint every 100 steps costs: one run that saves at every second hundred, and the hundred steps with a
 * save in them held against the hundred before. The time of the thread that writes counts, too.
 */
export const checkpointStall: Benchmark = async (settings) => {
  const runsDir = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  const rounds = roundsFor(settings);
  const batches = createBatches(MLP, 20);
  const marks: number[] = [];
  const stalls: number[] = [];
  const train: Loader = {
    name: 'train',
    owned: false,
    batches: (rounds + 2) * 2 * STEPS,
    async *epoch() {
      for (let step = 1; step <= this.batches!; step++) {
        // Before the last step of a hundred, because the save follows it.
        if (step % STEPS === 0) marks.push(processorTime());
        yield batches[step % batches.length]!;
      }
    },
  };
  const listener: Hook = {
    name: 'listener',
    onLog: (_ctx, { values }) => {
      if ('checkpoint/stall_ms' in values) stalls.push(values['checkpoint/stall_ms']!);
    },
  };
  try {
    const trainer = new Trainer({
      model: MLP.createModel,
      loss: MLP.loss,
      optimizer: { name: 'adam', lr: LEARNING_RATE },
      hooks: [listener, checkpoint({ every: { steps: 2 * STEPS } })],
      discover: false,
      runsDir,
      backend: 'wasm',
      logger: createLogger({ level: 'warn' }),
    });
    await trainer.fit({ train, epochs: 1 });
  } finally {
    rmSync(runsDir, { recursive: true });
  }
  const times: Times<'save' | 'none'> = { save: [], none: [] };
  // The first rounds compile, and start the thread.
  for (let round = 1; round <= rounds; round++) {
    const [before, between, after] = marks.slice(2 * round, 2 * round + 3) as [number, number, number];
    times.none.push(between - before);
    times.save.push(after - between);
  }
  const waited = stalls.toSorted((a, b) => a - b)[stalls.length >> 1]!;
  const step = Math.min(...times.none) / STEPS;
  return [
    {
      what: `MLP, wasm: ${STEPS} steps with a checkpoint / ${STEPS} steps without`,
      ratio: ratioOf(times, 'save', 'none'),
      budget: 1.035,
      note: `training waits ${waited.toFixed(1)} ms for a save; a step takes ${step.toFixed(1)} ms`,
    },
  ];
};
