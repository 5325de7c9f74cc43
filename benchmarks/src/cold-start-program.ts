import { createLogger, Trainer } from '@hookline/trainer';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import type { Cold } from './cold-start.js';
import { processorTime } from './processor-time.js';
import { createBatches, TINY } from './workloads.js';

const isTiny = process.argv[2] === 'tiny';
const marks = new Map<number, number>();
const trainer = await new Trainer({
  model: isTiny
    ? TINY.createModel
    : () =>
        sequential({
          layers: [
            layers.dense({ units: 64, activation: 'relu', inputShape: [8] }),
            layers.dense({ units: 64, activation: 'relu' }),
            layers.dense({ units: 1 }),
          ],
        }),
  loss: 'meanSquaredError',
  optimizer: 'adam',
  discover: false,
  runsDir: false,
  backend: 'wasm',
  logger: createLogger({ level: 'warn' }),
}).ready();
const batches = createBatches(TINY, 20);
await trainer.fit({
  train: {
    name: 'train',
    batches: 10_001,
    owned: false,
    async *epoch() {
      for (let step = 0; step <= 10_000; step++) {
        marks.set(step, processorTime());
        yield batches[step % batches.length]!;
      }
    },
  },
  epochs: 1,
});
const between = (from: number, to: number) => marks.get(to)! - marks.get(from)!;
const cold: Cold = {
  // A batch is read ahead: the third is asked for when the first step is over.
  first: between(0, 2),
  hundredth: between(95, 105) / 10,
  start: between(0, 400),
  cold: between(0, 2000),
  warm: between(8000, 10_000),
};
console.log(JSON.stringify(cold));
