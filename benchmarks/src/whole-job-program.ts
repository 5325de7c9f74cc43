import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { checkpoint } from '@hookline/hook-checkpoint';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { consoleLog, jsonLog } from '@hookline/hook-logging';
import { Trainer } from '@hookline/trainer';
import { layers, sequential } from '@tensorflow/tfjs-layers';

// What whole-job.py does in Python: the same model, split, batches and number of epochs.
const rows = gunzipSync(readFileSync(process.argv[2]!))
  .toString()
  .trim()
  .split('\n')
  .map((line) => line.split(',').map(Number));

const part = (mine: (line: number) => boolean) => {
  const chosen = rows.filter((_, line) => mine(line % 7));
  return {
    xs: Float32Array.from(chosen.flatMap((row) => row.slice(0, 64).map((pixel) => pixel / 16))),
    ys: Int32Array.from(chosen, (row) => row[64]!),
  };
};

const trainer = new Trainer({
  model: () =>
    sequential({
      layers: [
        layers.reshape({ inputShape: [8, 8], targetShape: [8, 8, 1] }),
        layers.conv2d({ filters: 16, kernelSize: 3, padding: 'same', activation: 'relu' }),
        layers.conv2d({ filters: 32, kernelSize: 3, padding: 'same', activation: 'relu' }),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.flatten(),
        layers.dense({ units: 64, activation: 'relu' }),
        layers.dense({ units: 10 }),
      ],
    }),
  loss: 'sparseSoftmaxCrossentropy',
  metrics: ['accuracy'],
  optimizer: { name: 'adam', lr: 0.003 },
  hooks: [
    consoleLog(),
    jsonLog(),
    // It looks at every epoch and never stops: everyone trains as many.
    earlyStopping({ patience: 1000 }),
    checkpoint({ monitor: 'val/loss', saveTopK: 3, saveLast: true }),
  ],
  seed: 1,
  root: process.cwd(),
  discover: false,
});
await trainer.fit({
  train: part((line) => line > 1),
  validation: part((line) => line === 1),
  batchSize: 32,
  epochs: 20,
});
const metrics = await trainer.test({ data: part((line) => line === 0), batchSize: 32 });
if (!(metrics['test/accuracy']! > 0.9))
  throw new Error(`It has learned too little: ${JSON.stringify(metrics)}`);
