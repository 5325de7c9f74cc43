import { createLogger, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { type Benchmark, type Row, roundsFor, type Settings } from './benchmark.js';
import { race, ratioOf } from './paired.js';
import { processorTime } from './processor-time.js';
import { createBatches, MLP, TINY, type Workload } from './workloads.js';

/**
 * `strategy: 'accelerate'` in one process against `'simple'`, and `'simple'` against a second `'simple'`: what two trainers that do
 * the same differ by is what this machine cannot tell apart.
 */
export const worldOfOne: Benchmark = async (settings) => [
  ...(await beside(TINY, 400, settings)),
  ...(await beside(MLP, 20, settings)),
];

async function beside(workload: Workload, steps: number, settings: Settings): Promise<Row[]> {
  const batches = createBatches(workload, steps);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const fitWith = (strategy: 'accelerate' | 'simple') => {
    const trainer = new Trainer({
      ...{ model: workload.createModel, loss: workload.loss, optimizer: 'adam', strategy, seed: 1 },
      ...{ discover: false, runsDir: false, logger: createLogger({ level: 'error' }) },
    });
    return () => trainer.fit({ train: { xs, ys }, batchSize: workload.batchSize, epochs: 1 });
  };
  const times = await race(
    { accelerate: fitWith('accelerate'), simple: fitWith('simple'), twin: fitWith('simple') },
    // Short fits and the best of many: a moment without anybody else on the machine is enough for one of them.
    { rounds: roundsFor(settings), warmUp: 6, repeats: settings.quick ? 3 : 8, clock: processorTime },
  );
  tf.dispose([xs, ys]);
  const note = `${perStep(times.accelerate, steps)} / ${perStep(times.simple, steps)} / ${perStep(times.twin, steps)} µs a step`;
  return [
    {
      what: `${workload.name}, wasm: accelerate in one process / simple`,
      ratio: ratioOf(times, 'accelerate', 'simple'),
      budget: 1.02,
      note,
    },
    { what: `${workload.name}, wasm: simple again / simple`, ratio: ratioOf(times, 'twin', 'simple'), note },
  ];
}

function perStep(times: readonly number[], steps: number): string {
  return ((Math.min(...times) * 1000) / steps).toFixed(0);
}
