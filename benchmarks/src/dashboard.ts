import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hook, HookLogger } from '@hookline/hook-api';
import { dashboard } from '@hookline/hook-dashboard';
import { jsonLog } from '@hookline/hook-logging';
import { type Loader, Trainer } from '@hookline/trainer';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, roundsFor } from './benchmark.js';
import { processorTime } from './processor-time.js';
import { spreadOf } from './statistics.js';
import { createBatches, MLP } from './workloads.js';

const PAGES = 20;
/** Long enough for some messages to every page. */
const WINDOW_STEPS = 400;
const WARM_UP = 2;

interface Window {
  /** Of the process, in milliseconds. */
  readonly processor: number;
  readonly wall: number;
}

/** One run that is looked at in every second window: by 20 pages that read, and one that never does. */
export const dashboardPages: Benchmark = async (settings) => {
  const runsDir = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  const readers = fork(fileURLToPath(new URL('./page-readers.js', import.meta.url)));
  const watching = new Watching(readers);
  const windows: Window[] = [];
  const batches = createBatches(MLP, 20);
  const count = 2 * (WARM_UP + roundsFor(settings));
  const train: Loader = {
    name: 'train',
    owned: false,
    batches: count * WINDOW_STEPS,
    async *epoch() {
      for (let window = 0; window < count; window++) {
        // What it takes to open pages is not counted: somebody does that once.
        await watching.ask(window % 2 === 1 ? PAGES : 0);
        const [processor, wall] = [processorTime(), performance.now()];
        for (let step = 0; step < WINDOW_STEPS; step++) yield batches[step % batches.length]!;
        windows.push({ processor: processorTime() - processor, wall: performance.now() - wall });
      }
      await watching.ask(0);
    },
  };
  try {
    const trainer = new Trainer({
      model: MLP.createModel,
      loss: MLP.loss,
      optimizer: { name: 'adam', lr: LEARNING_RATE },
      hooks: [watching.hook, dashboard(), jsonLog({ every: 10 })],
      discover: false,
      runsDir,
      backend: 'wasm',
      logger: watching.logger,
    });
    await trainer.fit({ train, epochs: 1 });
  } finally {
    readers.kill();
    rmSync(runsDir, { recursive: true, force: true });
  }
  const pairs = Array.from({ length: roundsFor(settings) }, (_, round) => {
    const at = 2 * (WARM_UP + round);
    return { alone: windows[at]!, watched: windows[at + 1]! };
  });
  const step = Math.min(...pairs.map(({ alone }) => alone.processor)) / WINDOW_STEPS;
  return [
    {
      what: `MLP, wasm: ${PAGES} pages that read and one that never does / no page`,
      // Pages are told by the clock on the wall: what they cost in a second of it is what they take from training.
      ratio: spreadOf(
        pairs.map(({ alone, watched }) => 1 + (watched.processor - alone.processor) / watched.wall),
      ),
      budget: 1.01,
      note: `${(1000 * step).toFixed(0)} µs a step; windows of ${WINDOW_STEPS} steps in turns`,
    },
  ];
};

/** Learns where the page of the run is, and has it opened and closed. */
class Watching {
  #url = '';
  #run = '';
  readonly logger: HookLogger;
  readonly hook: Hook = {
    name: 'watching',
    onTrainStart: (ctx) => {
      this.#run = ctx.run.id;
    },
  };

  constructor(private readonly readers: ReturnType<typeof fork>) {
    const ignore = () => {};
    this.logger = {
      debug: ignore,
      warn: ignore,
      error: (first: object | string) => console.error(first),
      info: (first: object | string, message?: string) => {
        this.#url = /http:\S+/.exec(message ?? String(first))?.[0] ?? this.#url;
      },
      child: () => this.logger,
    };
  }

  async ask(pages: number): Promise<void> {
    const done = once(this.readers, 'message');
    this.readers.send({ url: this.#url, run: this.#run, pages });
    await done;
  }
}
