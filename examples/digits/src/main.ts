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
  // The hooks of the packages in package.json are on because they are installed. This adds one and tunes two by name.
  hooks: [
    nudge,
    ['early-stopping', { patience: 8, restoreBest: true }],
    // An epoch has 41 batches: this leaves one line for each epoch.
    ['console-log', { every: 1000 }],
  ],
  seed: 1,
  // The package.json is looked for from here, wherever this is started.
  root: import.meta.dirname,
});

const result = await trainer.fit({ train, validation, epochs: 100 });
const metrics = await trainer.test({ data: test });

console.log(summaryOf(result, metrics, test.ys.length));
