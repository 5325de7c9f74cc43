import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { createLogger, type Loader, Trainer } from '@hookline/trainer';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { processorTime } from './processor-time.js';
import { spreadOf } from './statistics.js';
import { createBatches, MLP } from './workloads.js';

/** Steps from one checkpoint to the next, of which the design speaks. */
const STEPS = 100;
/** Steps that are timed at once: few, so that the save among them is a large part of their time and noise a small one. */
const WINDOW = 25;

/** What a checkpoint every 100 steps costs: to the thread that trains, and with the thread that writes. */
export const checkpointStall: Benchmark = async (settings) => {
  const { marks, stalls } = await trainAndMark(settings);
  const waited = stalls.toSorted((a, b) => a - b)[stalls.length >> 1]!;
  const row = (clock: keyof Mark, whose: string): Row => {
    const times = windowsOf(marks.map((mark) => mark[clock]));
    const step = Math.min(...times.map(({ none }) => none)) / WINDOW;
    const cost = times.map(({ save, none }) => save - none).toSorted((a, b) => a - b)[times.length >> 1]!;
    return {
      what: `MLP, wasm: ${STEPS} steps with a checkpoint / without, processor time of ${whose}`,
      // The save is in one window; the rest of the hundred is as without.
      ratio: spreadOf(times.map(({ save, none }) => 1 + ((save - none) / none) * (WINDOW / STEPS))),
      note: `a save ${cost.toFixed(1)} ms, a step ${step.toFixed(1)} ms; training waits ${waited.toFixed(1)} ms on the wall`,
    };
  };
  return [{ ...row('training', 'the training thread'), budget: 1.035 }, row('all', 'all threads')];
};

interface Mark {
  training: number;
  all: number;
}

/** One run that saves in every second window. */
async function trainAndMark(settings: Settings): Promise<{ marks: Mark[]; stalls: number[] }> {
  const runsDir = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  const batches = createBatches(MLP, 20);
  const marks: Mark[] = [];
  const stalls: number[] = [];
  const train: Loader = {
    name: 'train',
    owned: false,
    batches: (WARM_UP + 4 * roundsFor(settings)) * 2 * WINDOW,
    async *epoch() {
      for (let step = 1; step <= this.batches!; step++) {
        // Before the last step of a window, because the save follows it.
        if (step % WINDOW === 0) marks.push({ training: trainingTime(), all: processorTime() });
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
      hooks: [listener, checkpoint({ every: { steps: 2 * WINDOW } })],
      discover: false,
      runsDir,
      backend: 'wasm',
      logger: createLogger({ level: 'error' }),
    });
    await trainer.fit({ train, epochs: 1 });
  } finally {
    rmSync(runsDir, { recursive: true });
  }
  return { marks, stalls };
}

/** Rounds in which code is compiled and the thread is started. */
const WARM_UP = 8;

/** Pairs of neighbours, one without and one with a save. */
function windowsOf(marks: readonly number[]): { none: number; save: number }[] {
  const pairs: { none: number; save: number }[] = [];
  for (let index = 2 * WARM_UP; index + 2 < marks.length; index += 2) {
    const [before, between, after] = marks.slice(index, index + 3) as [number, number, number];
    pairs.push({ none: between - before, save: after - between });
  }
  return pairs;
}

/** Milliseconds that the first thread has computed; Linux tells. Elsewhere all threads count. */
function trainingTime(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return processorTime();
  }
}
