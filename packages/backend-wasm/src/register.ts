import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { enableTraining } from './enable-training.js';

// For programs without a trainer: importing this file makes wasm the active backend, able to train.
await enableTraining();
await tf.setBackend('wasm');
