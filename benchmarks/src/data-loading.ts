import { createLogger, type Data, DataLoader, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { race, ratioOf } from './paired.js';
import { processorTime } from './processor-time.js';
import { SleepingWorker } from './sleeping-worker.js';
import { createBatches, MLP } from './workloads.js';

/** In one run: as many as a short epoch has. */
const STEPS = 20;

/** More, because nothing hides the wait for the first batch. */
const WAITING_STEPS = 30;

/** Training on data that is shuffled and cut as it goes, against batches that were cut before. */
export const shuffledData: Benchmark = async (settings) => {
  const trainer = await createTrainer();
  const batches = createBatches(MLP, STEPS);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  const tables = {
    arrays: { xs: await xs.data<'float32'>(), ys: await ys.data<'float32'>() },
    tensors: { xs, ys },
  };
  const { batchSize } = MLP;
  const fit = (train: Data) => () => trainer.fit({ train, epochs: 1, batchSize });
  const rows: Row[] = [];
  for (const [kind, table] of Object.entries(tables)) {
    const times = await race(
      { shuffled: fit(table), ready: fit(batches) },
      { rounds: roundsFor(settings), warmUp: 3, repeats: 3, clock: processorTime },
    );
    const [shuffled, ready] = [times.shuffled, times.ready].map((all) =>
      ((Math.min(...all) * 1000) / STEPS).toFixed(0),
    );
    rows.push({
      what: `MLP, wasm: shuffled ${kind} / batches that are ready`,
      ratio: ratioOf(times, 'shuffled', 'ready'),
      budget: 1.03,
      note: `${shuffled} / ${ready} µs a step`,
    });
  }
  tf.dispose([xs, ys, ...batches.map((batch) => [batch.xs, batch.ys])]);
  return rows;
};

/** A worker that takes half a step for each batch: read ahead, that costs nothing but the asking. */
export const prefetch: Benchmark = async (settings) => {
  const trainer = await createTrainer();
  const batches = createBatches(MLP, WAITING_STEPS);
  const ready = () => trainer.fit({ train: batches, epochs: 1 });
  for (let run = 0; run < 3; run++) await ready();
  const start = performance.now();
  await ready();
  const halfStep = (performance.now() - start) / WAITING_STEPS / 2;

  const workers = { slow: new SleepingWorker(halfStep), quick: new SleepingWorker(0) };
  const askEach = (worker: SleepingWorker) =>
    async function* () {
      for (const { xs, ys } of batches) {
        await worker.sleep();
        yield { xs: tf.clone(xs), ys: tf.clone(ys) };
      }
    };
  const fit = (worker: SleepingWorker, ahead: number) => () =>
    trainer.fit({ train: new DataLoader(askEach(worker), { prefetch: ahead }), epochs: 1 });
  const { slow, quick } = workers;
  const times = await race(
    { ready, quick: fit(quick, 1), ahead: fit(slow, 1), waiting: fit(slow, 0) },
    { rounds: roundsFor(settings), warmUp: 1, repeats: 3 },
  );
  await Promise.all([slow.close(), quick.close()]);
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const what = 'MLP, wasm: a worker that takes half a step for each batch';
  const note = `takes ${halfStep.toFixed(1)} ms for each batch`;
  return [
    {
      what: `${what}, prefetch 1 / one that takes no time`,
      ratio: ratioOf(times, 'ahead', 'quick'),
      budget: 1.1,
      note,
    },
    { what: `${what}, prefetch 0 / one that takes no time`, ratio: ratioOf(times, 'waiting', 'quick'), note },
    { what: `${what}, prefetch 1 / batches that are ready`, ratio: ratioOf(times, 'ahead', 'ready'), note },
  ];
};

function createTrainer(): Promise<Trainer> {
  return new Trainer({
    model: MLP.createModel,
    loss: MLP.loss,
    optimizer: { name: 'adam', lr: LEARNING_RATE },
    discover: false,
    runsDir: false,
    backend: 'wasm',
    logger: createLogger({ level: 'warn' }),
  }).ready();
}
