import { createLogger, Trainer } from '/tmp/bx/tr/dist/index.js';
import * as tf from '@tensorflow/tfjs-core';
import { MLP, createBatches } from './workloads.js';
import { stopwatch } from './stopwatch.js';
const t = await new Trainer({ model: MLP.createModel, loss: MLP.loss, optimizer: { name: 'adam', lr: 0.001 }, discover: false, runsDir: false, backend: 'wasm', logger: createLogger({ level: 'warn' }) }).ready();
const b = createBatches(MLP, 40);
const xs = tf.concat(b.map((x) => x.xs)), ys = tf.concat(b.map((x) => x.ys));
const sw = stopwatch(b);
const m = MLP.createModel(); m.compile({ optimizer: tf.train.adam(0.001), loss: MLP.lossName });
for (let i = 0; i < 6; i++) {
  let s = performance.now(); await t.fit({ train: sw.items, epochs: 1 }); const a = performance.now() - s;
  s = performance.now(); await t.fit({ train: { xs, ys }, batchSize: 64, shuffle: false, epochs: 1 }); const c = performance.now() - s;
  s = performance.now(); await m.fit(xs, ys, { batchSize: 64, shuffle: false, epochs: 1, verbose: 0 }); const d = performance.now() - s;
  console.log('array whole', (a / 40).toFixed(2), 'steps', (sw.milliseconds() / 40).toFixed(2), 'table', (c / 40).toFixed(2), 'fit', (d / 40).toFixed(2), tf.memory().numTensors);
}
process.exit(0);
