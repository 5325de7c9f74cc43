// Runs in a worker of its own: says which digit a drawing shows, by the latest checkpoint, while the other worker trains.
import './wasm-files.js';
import '@hookline/backend-wasm/register';
import { findRuns } from '@hookline/run-view';
import { loadModel } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { modelFile } from './model-file.js';

/** What the page asks for. */
export type Question =
  /** A checkpoint; without a path, the newest there is. */
  | { ask: 'load'; path?: string }
  | { ask: 'guess'; pixels: Float32Array }
  | { ask: 'file' }
  | { ask: 'forget' };

export type Answer =
  | { answer: 'loaded' }
  /** A probability for each digit; none without a model. */
  | { answer: 'guess'; shares: number[] }
  | { answer: 'file'; bytes: Uint8Array };

let model: LayersModel | undefined;
let work: Promise<unknown> = tf.ready();

// One after the other: a drawing must not be judged by a model that is being replaced.
addEventListener('message', ({ data }: MessageEvent<Question>) => {
  work = work.then(() => act(data)).catch((error) => console.warn(error));
});

async function act(question: Question): Promise<void> {
  if (question.ask === 'load') await load(question.path);
  else if (question.ask === 'forget') model = undefined;
  else if (question.ask === 'guess')
    say({ answer: 'guess', shares: model ? sharesOf(model, question.pixels) : [] });
  else if (model) say({ answer: 'file', bytes: modelFile(model) });
}

async function load(path: string | undefined): Promise<void> {
  const found = path === undefined ? await newest() : await loadModel(path).catch(() => undefined);
  // Older checkpoints are removed while training goes on: then the next one is as good.
  if (!found) return;
  model?.dispose();
  model = found;
  say({ answer: 'loaded' });
}

async function newest(): Promise<LayersModel | undefined> {
  for (const run of (await findRuns('/runs')).reverse()) {
    const found = await loadModel(run, { checkpoint: 'last' }).catch(() => undefined);
    if (found) return found;
  }
  return undefined;
}

function sharesOf(model: LayersModel, pixels: Float32Array): number[] {
  return tf.tidy(() => {
    const scores = model.predict(tf.tensor3d(pixels, [1, 8, 8])) as tf.Tensor;
    return [...tf.softmax(scores).dataSync()];
  });
}

function say(answer: Answer): void {
  postMessage(answer);
}
