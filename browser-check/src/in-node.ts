// The training whose every bit a browser has to give, on standard output.
import '@tensorflow/tfjs-backend-wasm';
import { enableTraining } from '@hookline/backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import type { Found } from './found.js';
import { model, train } from './training.js';

await enableTraining({ fma: false });
await tf.setBackend('wasm');
const exact: Found['exact'] = {
  CNN: await train(model('CNN'), 'CNN'),
  LSTM: await train(model('LSTM'), 'LSTM'),
};
console.log(JSON.stringify(exact));
