import { createLogger, type Data, DataLoader, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { LEARNING_RATE } from './bare-loop.js';
import { type Benchmark, type Row, roundsFor } from './benchmark.js';
import { race, ratioOf } from './paired.js';
import { processorTime } from './processor-time.js';
import { SleepingWorker } from './sleeping-worker.js';
import { createBatches, MLP } from './workloads.js';

const STEPS = 5;

/** Training on data that is shuffled and cut as it goes, against batches that were cut before. */
export const shuffledData: Benchmark = async (settings) => {
  const trainer = await createTrainer();
  const batches = createBatches(MLP, STEPS);
  const xs = tf.concat(batches.map((batch) => batch.xs));
  const ys = tf.concat(batches.map((batch) => batch.ys));
  const arrays = { xs: await xs.data<'float32'>(), ys: await ys.data<'float32'>() };
  const { batchSize } = MLP;
  const fit = (train: Data) => () => trainer.fit({ train, epochs: 1, batchSize });
  const times = await race(
    { sliced: fit(batches), arrays: fit(arrays), tensors: fit({ xs, ys }) },
    { rounds: roundsFor(settings), warmUp: 2, repeats: 6, clock: processorTime },
  );
  tf.dispose([xs, ys, ...batches.map((batch) => [batch.xs, batch.ys])]);
  return (['arrays', 'tensors'] as const).map((kind): Row => {
    const [subject, reference] = [times[kind], times.sliced].map(
      (all) => (Math.min(...all) * 1000) / STEPS,
    ) as [number, number];
    return {
      what: `MLP, wasm: shuffled ${kind} / batches that are ready`,
      ratio: ratioOf(times, kind, 'sliced'),
      budget: 1.03,
      note: `${subject.toFixed(0)} / ${reference.toFixed(0)} µs a step`,
    };
  });
};

/** A source that waits half a step for each batch: read ahead, the wait costs nothing. */
export const prefetch: Benchmark = async (settings) => {
  const trainer = await createTrainer();
  const batches = createBatches(MLP, STEPS);
  const ready = () => trainer.fit({ train: batches, epochs: 1 });
  for (let i = 0; i < 3; i++) await ready();
  const start = performance.now();
  await ready();
  const halfStep = (performance.now() - start) / STEPS / 2;

  const worker = new SleepingWorker(halfStep);
  const waiting = async function* () {
    for (const { xs, ys } of batches) {
      await worker.sleep();
      yield { xs: tf.clone(xs), ys: tf.clone(ys) };
    }
  };
  const fit = (ahead: number) => () =>
    trainer.fit({ train: new DataLoader(waiting, { prefetch: ahead }), epochs: 1 });
  const times = await race(
    { ready, ahead: fit(1), waiting: fit(0) },
    { rounds: roundsFor(settings), warmUp: 2, repeats: 2 },
  );
  await worker.close();
  tf.dispose(batches.map((batch) => [batch.xs, batch.ys]));
  const note = `waits ${halfStep.toFixed(1)} ms for each batch`;
  return [
    {
      what: 'MLP, wasm: a source that waits half a step, prefetch 1 / no wait',
      ratio: ratioOf(times, 'ahead', 'ready'),
      budget: 1.1,
      note,
    },
    {
      what: 'MLP, wasm: a source that waits half a step, prefetch 0 / no wait',
      ratio: ratioOf(times, 'waiting', 'ready'),
      note,
    },
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
