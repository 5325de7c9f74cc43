import { testHook } from '@hookline/hook-testkit';
import { consoleLog, csvLog, jsonLog, mlflow, tensorboard, wandb } from '../src/index.js';

const client = { init: () => ({ log: () => {}, finish: () => {} }) };

testHook(consoleLog, { options: { every: 1, write: () => {} } });
testHook(jsonLog, { options: { every: 1 } });
testHook(csvLog, { options: { every: 1 } });
testHook(tensorboard, { options: { every: 1 } });
testHook(wandb, { options: { every: 1, client } });
testHook(mlflow, { options: { every: 1, uri: 'http://127.0.0.1:9', retries: 0 } });
