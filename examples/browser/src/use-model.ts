// npm run use-model -- digits.safetensors: the model that was trained in a browser, tried in Node.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadDigits } from '@hookline/example-digits/src/load-digits.js';
import { Trainer } from '@hookline/trainer';
import { modelOf } from './model-file.js';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Which file? npm run use-model -- digits.safetensors');

const trainer = new Trainer({
  model: await modelOf(readFileSync(resolve(process.env.INIT_CWD ?? '', file))),
  loss: 'sparseSoftmaxCrossentropy',
  metrics: ['accuracy'],
  ...{ discover: false, runsDir: false },
});
const { test } = loadDigits();
const metrics = await trainer.test({ data: test });
const right = Math.round(metrics['test/accuracy']! * test.ys.length);
console.log(`${right} of ${test.ys.length} digits that it had never seen`);
