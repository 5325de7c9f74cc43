import { runEnding } from '@hookline/hook-report';
import { Trainer } from '@hookline/trainer';
import { digitsModel } from './digits-model.js';
import { loadDigits } from './load-digits.js';
import { nudge } from './nudge.js';
import { summaryOf } from './summary.js';

const { train, validation, test } = loadDigits();

const trainer = new Trainer({
  model: digitsModel,
  loss: 'sparseSoftmaxCrossentropy',
  metrics: ['accuracy'],
  optimizer: { name: 'adam', lr: 0.003 },
  // The hooks of the packages in package.json are on because they are installed. This adds one, tunes three by name,
  // and names one that is off until it is named.
  hooks: [
    nudge,
    ['early-stopping', { patience: 8, restoreBest: true }],
    ['console-log', { every: false }],
    ['report', { print: false }], // its curve is printed below, after the test
    'tensorboard',
  ],
  seed: 1,
  // The package.json is looked for from here, wherever this is started.
  root: import.meta.dirname,
});

// Stopped by Ctrl-C or cut off in any other way, the same command continues where it was.
const result = await trainer.fit({ train, validation, epochs: 100, resume: 'auto' });
const metrics = await trainer.test({ data: test });

console.log(summaryOf(result, metrics, test.ys.length));
process.stdout.write(await runEnding(result.runDir));
