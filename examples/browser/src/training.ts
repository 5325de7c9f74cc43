// Runs in a worker: what is trained, and how.
import './wasm-files.js';
import '@hookline/vite-plugin/hooks';
import { digitsModel } from '@hookline/example-digits/src/digits-model.js';
import { splitDigits } from '@hookline/example-digits/src/split-digits.js';
import { Trainer } from '@hookline/trainer';
import { defineTraining } from '@hookline/worker/training';
import compressed from '../../digits/data/digits.csv.gz?url';

export default defineTraining(async ({ epochs }: { epochs: number }) => {
  const { train, validation } = splitDigits(await unzipped(compressed));
  const trainer = new Trainer({
    model: digitsModel,
    loss: 'sparseSoftmaxCrossentropy',
    metrics: ['accuracy'],
    optimizer: { name: 'adam', lr: 0.001 },
    // These are on because they are in package.json; here they are tuned.
    hooks: {
      'early-stopping': { patience: 12, restoreBest: true },
      checkpoint: { every: { steps: 20 } },
      'console-log': false,
    },
    seed: 1,
  });
  // A tab that was closed or killed continues where it was.
  return { trainer, fit: { train, validation, epochs, resume: 'auto' } };
});

async function unzipped(url: string): Promise<string> {
  const { body, headers } = await fetch(url);
  // Some servers say that the file is compressed for the way only, and the browser has unpacked it.
  if (headers.get('content-encoding') === 'gzip') return new Response(body).text();
  return new Response(body!.pipeThrough(new DecompressionStream('gzip'))).text();
}
