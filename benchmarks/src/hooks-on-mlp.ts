import type { Batch, Hook } from '@hookline/hook-api';
import { createLogger, type Loader, Trainer } from '@hookline/trainer';
import { LEARNING_RATE } from './bare-loop.js';
import { type Row, roundsFor, type Settings } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';
import { type Leg, relay } from './relay.js';
import { createBatches, MLP } from './workloads.js';

const STEPS = 60;
/** Between turns. */
const LEG_STEPS = 5;

/** Trains the MLP with each of the hooks, and with none, in turns. Returns what makes the row of a hook. */
export async function hooksOnMlp(
  settings: Settings,
  hooks: Readonly<Record<string, Hook>>,
): Promise<(name: string, what: string, budget?: number) => Row> {
  const batches = createBatches(MLP, 20);
  const sides: Record<string, Trainer> = { none: await createTrainer() };
  for (const [name, hook] of Object.entries(hooks)) sides[name] = await createTrainer(hook);
  const names = Object.keys(sides);
  const times: Times<string> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -2; round < roundsFor(settings); round++) {
    // Who goes first changes from round to round.
    const order = names.map((_, i) => names[(i + round + names.length) % names.length]!);
    const taken = await relay(
      Object.fromEntries(
        order.map((name): [string, Leg] => [
          name,
          (handOver) => sides[name]!.fit({ train: epochOf(batches, handOver), epochs: 1 }),
        ]),
      ),
    );
    if (round < 0) continue; // everything was compiled in these
    for (const name of names) times[name]!.push(taken[name]!);
  }
  return (name, what, budget) => ({
    what: `MLP, wasm: ${what} / no hooks`,
    ratio: ratioOf(times, name, 'none'),
    ...(budget !== undefined && { budget }),
    note: `${microseconds(times[name]!)} / ${microseconds(times.none!)} µs a step`,
  });
}

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
