import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Batch, Hook } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { consoleLog, jsonLog } from '@hookline/hook-logging';
import { lrMonitor } from '@hookline/hook-lr-monitor';
import { progress } from '@hookline/hook-progress';
import { createLogger, type FitOptions, type FitResult, type Loader, Trainer } from '@hookline/trainer';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { type Leg, relay } from './relay.js';
import { createBatches, MLP } from './workloads.js';

const STEPS = 200;
/** In one run. What a run has at its beginning and its end counts too. */
const EPOCHS = 3;
/** Between turns. */
const LEG_STEPS = 10;

/** The hooks that most runs have, at their defaults, against none: whole runs of a few epochs with validation. */
export const defaultHooks: Benchmark = async (settings) => {
  const runsDir = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const without = await createTrainer([], runsDir);
    const withHooks = await createTrainer(createHooks(), runsDir);
    const batches = createBatches(MLP, 20);
    const times: Times<'hooks' | 'none'> = { hooks: [], none: [] };
    let hookCosts: FitResult['hookCosts'] = [];
    const none: Leg = (handOver) => without.fit(epochOf(batches, handOver));
    const hooks: Leg = async (handOver) => {
      ({ hookCosts } = await withHooks.fit(epochOf(batches, handOver)));
    };
    for (let round = -1; round < roundsFor(settings); round++) {
      const taken = await relay(round % 2 === 0 ? { none, hooks } : { hooks, none }); // who goes first changes
      if (round < 0) continue; // everything was compiled in this one
      times.hooks.push(taken.hooks);
      times.none.push(taken.none);
    }
    const own = hookCosts.map(({ name, milliseconds }) => `${name} ${milliseconds.toFixed(1)}`);
    return [
      {
        what: `MLP, wasm: trainer with ${hookCosts.length} default hooks / without, ${STEPS} steps an epoch`,
        ratio: ratioOf(times, 'hooks', 'none'),
        budget: 1.05,
        note: `${seconds(times.hooks)} / ${seconds(times.none)} s for ${EPOCHS} epochs; own ms: ${own.join(', ')}`,
      },
    ];
  } finally {
    rmSync(runsDir, { recursive: true });
  }
};

/** Epochs over a few batches again and again, and a small validation, so that early stopping has what to judge. */
function epochOf(batches: readonly Batch[], handOver: Parameters<Leg>[0]): FitOptions {
  const train: Loader = {
    name: 'train',
    batches: STEPS,
    owned: false,
    async *epoch() {
      for (let step = 0; step < STEPS; step++) {
        if (step > 0 && step % LEG_STEPS === 0) await handOver();
        yield batches[step % batches.length]!;
      }
    },
  };
  return { train, validation: batches.slice(0, 2), epochs: EPOCHS };
}

function createHooks(): Hook[] {
  const nowhere = () => true;
  return [
    consoleLog({ write: nowhere }),
    jsonLog(),
    progress({ stream: { write: nowhere, isTTY: true, columns: 100 } }),
    earlyStopping(),
    lrMonitor(),
    checkpoint(),
  ];
}

function createTrainer(list: Hook[], runsDir: string): Promise<Trainer> {
  return new Trainer({
    model: MLP.createModel,
    loss: MLP.loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    hooks: list,
    discover: false,
    runsDir,
    backend: 'wasm',
    logger: createLogger({ level: 'warn' }),
  }).ready();
}

function seconds(times: readonly number[]): string {
  return (Math.min(...times) / 1000).toFixed(2);
}
