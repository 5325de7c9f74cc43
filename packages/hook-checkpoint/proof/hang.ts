import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS, type EventName, type Hook } from '@hookline/hook-api';
import { createLogger, Trainer } from '@hookline/trainer';
import * as tfl from '@tensorflow/tfjs-layers';
import { checkpoint } from '../src/index.js';
import { samples } from './samples.js';

/** Trains, tests and predicts in this folder, with a hook whose method for this event never settles. */
const [root, event] = process.argv.slice(2) as [string, EventName];

const model = () =>
  tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 4, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });

/** Writes down that it was torn down; one is set up before the hook that hangs, one after it. */
const witness = (name: string): Hook => ({
  name,
  onStepStart: (ctx) => ctx.log({ [`${name}/seen`]: 1 }),
  teardown: (_ctx, { stage }) => appendFileSync(join(root, 'torn-down'), `${name} ${stage}\n`),
});
const failing: Hook = {
  name: 'failing',
  onError: 'fail',
  onEpochEnd: () => {
    throw new Error('the cause');
  },
};
const stuck = {
  name: 'stuck',
  // On the tape nobody waits for a promise: it is an error, which ends the run where the hook says so.
  ...(EVENTS[event].sync && { onError: 'fail' }),
  [event]: () => new Promise(() => {}),
} as Hook;

const trainerWith = (...hooks: Hook[]) =>
  new Trainer({
    model,
    loss: 'meanSquaredError',
    clip: { globalNorm: 1 },
    hooks: [...hooks, checkpoint({ every: { steps: 1 } })] as Hook[],
    discover: false,
    root,
    backend: 'cpu',
    seed: 1,
    logger: createLogger({ level: 'error' }),
    hookTimeout: 0.2,
  });
const data = { train: samples(8), validation: samples(4, 2), batchSize: 4 };

// There must be something to load.
const before = event === 'onCheckpointLoad' ? await trainerWith().fit({ ...data, epochs: 1 }) : undefined;
const others = event === 'onException' ? [failing] : [];
const trainer = trainerWith(witness('before'), ...others, stuck, witness('after'));
await trainer.fit({ ...data, epochs: 2, ...(before && { resume: before.runDir }) });
await trainer.test({ data: samples(4, 3) });
await trainer.predict({ data: samples(4, 3) });
