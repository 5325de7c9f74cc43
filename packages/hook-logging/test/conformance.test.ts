import { testHook } from '@hookline/hook-testkit';
import { someOf } from '@hookline/test-support';
import { consoleLog, csvLog, jsonLog, mlflow, tensorboard, wandb } from '../src/index.js';

const client = { init: () => ({ log: () => {}, finish: () => {} }) };

const conforms = [
  () => testHook(consoleLog, { options: { every: 1, write: () => {} } }),
  () => testHook(jsonLog, { options: { every: 1 } }),
  () => testHook(csvLog, { options: { every: 1 } }),
  () => testHook(mlflow, { options: { every: 1, uri: 'http://127.0.0.1:9', retries: 0 } }),
  () => testHook(tensorboard, { options: { every: 1 } }),
  () => testHook(wandb, { options: { every: 1, client } }),
];
for (const test of someOf(conforms, 2)) test();
