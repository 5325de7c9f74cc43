import { createHash } from 'node:crypto';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleLog, jsonLog } from '@hookline/hook-logging';
import { progress } from '@hookline/hook-progress';
import { createLogger, Trainer } from '@hookline/trainer';
import * as tfl from '@tensorflow/tfjs-layers';
import { checkpoint } from '../src/index.js';
import { samples } from './samples.js';

/** What happens to a standard stream, from this write on. */
export interface Fault {
  streams: readonly ('stdout' | 'stderr')[];
  kind: 'throws' | 'throws once' | 'is full' | 'loses its reader' | 'is full from the start';
  at: number;
}

const [root, given] = process.argv.slice(2) as [string, string];
const fault = JSON.parse(given) as Fault;
let writes = 0;
for (const name of fault.streams) inject(process[name], fault);

function inject(stream: NodeJS.WriteStream, { kind, at }: Fault): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  const full = kind === 'is full' ? createWriteStream('/dev/full') : undefined;
  full?.on('error', (error) => stream.emit('error', error));
  stream.write = (...args: unknown[]): boolean => {
    const count = writes++;
    if (count < at) return write(...args);
    if (kind === 'throws' || (kind === 'throws once' && count === at))
      throw new Error('nothing can be written');
    return full ? (full.write as typeof write)(...args) : write(...args);
  };
}

// A bar is drawn on a terminal only.
process.stderr.isTTY = true;
const trainer = new Trainer({
  model: () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ units: 6, inputShape: [3], activation: 'tanh' }),
        tfl.layers.dropout({ rate: 0.3 }),
        tfl.layers.dense({ units: 1 }),
      ],
    }),
  loss: 'meanSquaredError',
  seed: 1,
  root,
  discover: false,
  backend: 'cpu',
  logger: createLogger({ level: 'debug' }),
  hooks: [
    consoleLog({ every: 1 }),
    jsonLog({ file: '/dev/stdout' }),
    progress({ refreshMs: 0 }),
    checkpoint({ every: { steps: 4 } }),
    {
      name: 'own',
      onTrainBatchEnd: () => {
        console.log('own');
        console.error('own');
      },
    },
  ],
});
await trainer.fit({ train: samples(40), validation: samples(8, 2), epochs: 2, batchSize: 4 });
const hash = createHash('sha256');
const model = (await trainer.model()) as tfl.Sequential;
for (const weight of model.getWeights()) hash.update(weight.dataSync());
writeFileSync(join(root, 'outcome'), JSON.stringify({ weights: hash.digest('hex'), writes }));
