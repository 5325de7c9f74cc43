import { activations } from '@hookline/hook-activations';
import type { Batch, Hook } from '@hookline/hook-api';
import { createLogger, type Loader, Trainer } from '@hookline/trainer';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { type Leg, relay } from './relay.js';
import { createBatches, MLP } from './workloads.js';

const STEPS = 60;
/** Between turns. */
const LEG_STEPS = 5;

type Side = 'none' | 'tapped' | 'monitored' | 'captured';

/** Hooks on layers against none: one layer with an empty handler, and every layer looked at in every step. */
export const taps: Benchmark = async (settings) => {
  const batches = createBatches(MLP, 20);
  const sides: Record<Side, Trainer> = {
    none: await createTrainer(),
    tapped: await createTrainer({ name: 'tapped', layers: 'dense_2', onForward: () => {} }),
    monitored: await createTrainer(activations({ every: 1 })),
    captured: await createTrainer(
      activations({ every: 1, monitor: false, capture: '**', memoryLimitMb: 16 }),
    ),
  };
  const names = Object.keys(sides) as Side[];
  const times: Times<Side> = { none: [], tapped: [], monitored: [], captured: [] };
  for (let round = -2; round < roundsFor(settings); round++) {
    // Who goes first changes from round to round.
    const order = names.map((_, i) => names[(i + round + names.length) % names.length]!);
    const taken = await relay(
      Object.fromEntries(
        order.map((name): [Side, Leg] => [
          name,
          (handOver) => sides[name].fit({ train: epochOf(batches, handOver), epochs: 1 }),
        ]),
      ) as Record<Side, Leg>,
    );
    if (round < 0) continue; // everything was compiled in these
    for (const name of names) times[name].push(taken[name]);
  }
  const row = (name: Side, what: string, budget?: number) => ({
    what: `MLP, wasm: ${what} / no hooks`,
    ratio: ratioOf(times, name, 'none'),
    ...(budget !== undefined && { budget }),
    note: `${microseconds(times[name])} / ${microseconds(times.none)} µs a step`,
  });
  return [
    row('tapped', 'one tapped layer, empty handler', 1.02),
    row('monitored', 'activations monitors every layer, every step', 1.15),
    row('captured', 'activations captures every layer, every step'),
  ];
};

function epochOf(batches: readonly Batch[], handOver: Parameters<Leg>[0]): Loader {
  return {
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
}

function createTrainer(...hooks: Hook[]): Promise<Trainer> {
  return new Trainer({
    model: MLP.createModel,
    loss: MLP.loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    hooks,
    discover: false,
    runsDir: false,
    backend: 'wasm',
    logger: createLogger({ level: 'warn' }),
  }).ready();
}

function microseconds(times: readonly number[]): string {
  return ((Math.min(...times) * 1000) / STEPS).toFixed(0);
}
