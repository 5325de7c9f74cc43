import { Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { beSide, fitAlone, isSide, MODELS, type ModelName, QUIET } from './fit-alone.js';
import { race, ratioOf, type Times } from './paired.js';
import { processorTime } from './processor-time.js';
import { createBatches, MLP, TINY, type Workload } from './workloads.js';

/** `strategy: 'accelerate'` in one process against `'simple'`, and two processes against one and against two threads. */
export const accelerate: Benchmark = async (settings) => {
  if (isSide()) return beSide();
  const rows: Row[] = [];
  for (const [workload, steps] of [[TINY, 400] as const, [MLP, 40] as const])
    rows.push(await worldOfOne(workload, steps, settings));
  for (const model of Object.keys(MODELS) as ModelName[]) rows.push(...(await ways(model, settings)));
  return rows;
};

async function worldOfOne(workload: Workload, steps: number, settings: Settings): Promise<Row> {
  const batches = createBatches(workload, steps);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const fitWith = (strategy: 'accelerate' | 'simple') => {
    const trainer = new Trainer({
      ...{ model: workload.createModel, loss: workload.loss, optimizer: 'adam', strategy, seed: 1 },
      ...QUIET,
    });
    return () => trainer.fit({ train: { xs, ys }, batchSize: workload.batchSize, epochs: 1 });
  };
  const times = await race(
    { accelerate: fitWith('accelerate'), simple: fitWith('simple') },
    { rounds: roundsFor(settings), warmUp: 6, repeats: 3, clock: processorTime },
  );
  tf.dispose([xs, ys]);
  return {
    what: `${workload.name}, wasm: accelerate in one process / simple`,
    ratio: ratioOf(times, 'accelerate', 'simple'),
    budget: 1.02,
    note: `${((Math.min(...times.accelerate) * 1000) / steps).toFixed(0)} / ${((Math.min(...times.simple) * 1000) / steps).toFixed(0)} µs a step`,
  };
}

/** Ways to use two cores, beside one. */
const WAYS = {
  'one process': {},
  'two threads': { backend: { name: 'wasm', threads: 2 } },
  'two processes': { strategy: { name: 'accelerate', processes: 2 } },
} as const satisfies Record<string, Pick<TrainerOptions, 'backend' | 'strategy'>>;

type Way = keyof typeof WAYS;

/** Each with the machine to itself, in a new process, in turns. */
async function ways(model: ModelName, settings: Settings): Promise<Row[]> {
  const names = Object.keys(WAYS) as Way[];
  const times: Times<Way> = { 'one process': [], 'two threads': [], 'two processes': [] };
  for (let round = 0; round < Math.ceil(roundsFor(settings) / 5); round++)
    for (const way of names) times[way].push(await fitAlone(model, WAYS[way]));
  const note = names.map((way) => `${way} ${(Math.min(...times[way]) / 1000).toFixed(2)} s`).join(', ');
  const rows = [
    ['two processes', 'one process'],
    ['two threads', 'one process'],
    ['two processes', 'two threads'],
  ] as const;
  return rows.map(([own, other]) => ({
    what: `${model}: ${own} / ${other}`,
    ratio: ratioOf(times, own, other),
    note,
  }));
}
