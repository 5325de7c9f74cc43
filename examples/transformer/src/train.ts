import { type FitResult, Trainer } from '@hookline/trainer';
import { headsOf } from './head.js';
import { type Transformer, transformer } from './model/transformer.js';
import { randomFrom } from './random.js';
import { repeatAccuracy } from './repeat-accuracy.js';
import { batchOf, LENGTH, LETTERS, sequencesOf } from './task.js';
import { type HeadHistory, watchHeads } from './watch-heads.js';

/** The sizes of the model, whatever the number of its blocks. */
export const SIZES = {
  letters: LETTERS,
  length: LENGTH,
  width: 32,
  headSize: 16,
  hidden: 64,
  // As in ALiBi, each head begins with a reach of its own; it learns it from there. It decides which head takes which
  // part: heads that begin alike share the work, and then no single one is needed.
  slopes: [0, 0.25, 1, 4],
};

export const STEPS_PER_EPOCH = 10;
const BATCH = 64;

export interface TrainOptions {
  blocks: number;
  seed: number;
  /** At most: it ends when nearly every letter is right. */
  epochs: number;
}

export interface Trained {
  model: Transformer;
  fit: FitResult;
  /** The scores of every head after each epoch. */
  heads: HeadHistory;
  /** On sequences that were in no batch of the training. */
  accuracy: number;
}

/** Trains a transformer on batches that are drawn as they are needed, with hooks. */
export async function train({ blocks, seed, epochs }: TrainOptions): Promise<Trained> {
  const validation = sequencesOf(randomFrom(seed, 'validation'), 128);
  const watch = watchHeads(headsOf({ ...SIZES, blocks }), validation);
  const trainer = new Trainer({
    model: () => transformer({ ...SIZES, blocks }),
    metrics: [repeatAccuracy],
    optimizer: { name: 'adamw', lr: 0.005, weightDecay: 0.3 },
    schedule: { name: 'warmup', steps: 50 },
    // The hooks of the packages in package.json are on because they are installed. This adds one and tunes two.
    hooks: [
      watch,
      [
        'early-stopping',
        { monitor: 'val/accuracy', mode: 'max', stoppingThreshold: 0.999, patience: epochs },
      ],
      ['console-log', { every: false, metrics: ['train/*', 'val/*'] }],
    ],
    seed,
    // The package.json is looked for from here, wherever this is started.
    root: import.meta.dirname,
  });
  const fit = await trainer.fit({
    train: (epoch: number) => trainingBatches(randomFrom(seed, `epoch ${epoch}`)),
    validation: [batchOf(validation)],
    epochs,
  });
  const test = await trainer.test({ data: [batchOf(sequencesOf(randomFrom(seed, 'test'), 512))] });
  return {
    model: (await trainer.model()) as Transformer,
    fit,
    heads: watch.history,
    accuracy: test['test/accuracy']!,
  };
}

function* trainingBatches(random: () => number): Generator<ReturnType<typeof batchOf>> {
  for (let step = 0; step < STEPS_PER_EPOCH; step++) yield batchOf(sequencesOf(random, BATCH));
}
