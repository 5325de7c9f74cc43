// Runs in a page or in a worker, and sends what it found to the server it came from.
import './wasm-paths.js';
import '@tensorflow/tfjs-layers';
import '@hookline/backend-wasm/register';
import '@tensorflow/tfjs-backend-cpu';
import { enableTraining } from '@hookline/backend-wasm';
import { defineHook, kindsOf } from '@hookline/hook-api';
import { layerPaths, tap } from '@hookline/layer-taps';
import { encodeSafetensors, parseSafetensors } from '@hookline/safetensors';
import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, loadLayersModel } from '@tensorflow/tfjs-layers';
import type { Found } from './found.js';
import { predictionsOf } from './small-model.js';
import { gradients, model, train } from './training.js';

try {
  await send('found', JSON.stringify(await find()));
} catch (error) {
  await send('failed', error instanceof Error ? (error.stack ?? error.message) : String(error));
}

async function find(): Promise<Found> {
  const backend = tf.getBackend();
  const { fma } = await enableTraining();
  const fast = { CNN: await train(model('CNN'), 'CNN'), LSTM: await train(model('LSTM'), 'LSTM') };
  const onWasm = { CNN: gradients('CNN'), LSTM: gradients('LSTM') };
  await tf.setBackend('cpu');
  const onCpu = { CNN: gradients('CNN'), LSTM: gradients('LSTM') };
  await tf.setBackend('wasm');

  await enableTraining({ fma: false });
  const [cnn, lstm] = [model('CNN'), model('LSTM')];
  const exact = { CNN: await train(cnn, 'CNN'), LSTM: await train(lstm, 'LSTM') };
  return {
    where: typeof document === 'undefined' ? 'a worker' : 'a page',
    isolated: crossOriginIsolated,
    backend,
    fma,
    fast,
    exact,
    onWasm,
    onCpu,
    fromFile: await throughFile(cnn),
    tapped: tappedLayers(lstm),
    predictions: predictionsOf(await loadLayersModel('/model/model.json')),
    hookKinds: kindsOf(defineHook({ name: 'quiet', onTrainBatchEnd() {} })),
  };
}

/** The weights after they were written to a file of the browser and read from it. */
async function throughFile(trained: LayersModel): Promise<number[]> {
  const tensors = Object.fromEntries(
    trained.getWeights().map((weight, i) => {
      const data = weight.dataSync() as Float32Array;
      return [`weight-${i}`, { dtype: 'F32' as const, shape: weight.shape, data }];
    }),
  );
  const folder = await navigator.storage.getDirectory();
  const handle = await folder.getFileHandle('weights.safetensors', { create: true });
  const file = await handle.createWritable();
  await file.write(encodeSafetensors(tensors, { metadata: { made: 'in a browser' } }) as BufferSource);
  await file.close();
  const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
  await send('file', bytes);
  const { tensors: read } = parseSafetensors(bytes);
  return trained.getWeights().flatMap((_, i) => [...(read.get(`weight-${i}`)!.data as Float32Array)]);
}

/** The layers whose outputs a tap saw. */
function tappedLayers(tapped: LayersModel): string[] {
  const seen = new Set<string>();
  const look = tap(tapped, '**', ({ path }) => void seen.add(path));
  tf.tidy(() => tapped.predict(tf.zeros([1, 10, 4])));
  look.remove();
  return [...layerPaths(tapped).keys()].filter((path) => seen.has(path));
}

async function send(what: 'found' | 'failed' | 'file', body: string | Uint8Array): Promise<void> {
  await fetch(`/${what}`, { method: 'POST', body: body as BodyInit });
}
