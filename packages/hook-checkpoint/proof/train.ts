import { createHash } from 'node:crypto';
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { EVENTS, type Hook, type HookContext } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { createLogger, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tfl from '@tensorflow/tfjs-layers';
import { type CheckpointOptions, checkpoint } from '../src/index.js';
import { type Strike, strikeWhileSaving } from './killer.js';
import { samples } from './samples.js';

/** What a process is to train; it is given as JSON. */
export interface Training {
  root: string;
  backend: 'cpu' | 'wasm';
  optimizer: TrainerOptions['optimizer'];
  epochs: number;
  /** In the hidden layer: more make larger checkpoints, which take longer to write. */
  units: number;
  checkpoint: CheckpointOptions;
  resume: boolean;
  /** A file to which every step adds its number and its loss, to the bit. */
  losses: string;
  /** A file to which every checkpoint that is reported as saved is added: standard output may be closed. */
  saved: string;
  /** `step 7`, or an event as `eventKey` names it: there the process kills itself. */
  killAt?: string;
  /** Gets this signal after this step, as from a terminal. */
  signalAt?: { step: number; signal: 'SIGINT' | 'SIGTERM' };
  /** Sends itself a signal in the middle of a save. */
  strike?: Strike;
  /** Says everything that it can say, so that closed pipes are noticed. */
  talks?: boolean;
  /** Writes down the keys of all events of this epoch. */
  listEventsOf?: number;
}

/** What it prints in the end. */
export interface Trained {
  status: string;
  stopReason: string | undefined;
  /** Of all weights, to the bit: a hash. */
  weights: string;
  metrics: Record<string, number>;
  runDir: string;
  events: string[];
}

/** The same for the same moment of a run, also in a process that resumed it. */
function eventKey(event: string, { state }: HookContext, payload: object): string {
  const { epoch, step, batchIndex, status } = state;
  const { path, callIndex, scope } = payload as Record<string, unknown>;
  const detail = event === 'onForward' ? [path, callIndex] : event === 'onLog' ? [scope] : [];
  return [event, epoch, step, batchIndex, status, ...detail].join(' ');
}

function bits(values: Float32Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex');
}

async function train(training: Training): Promise<Trained> {
  const { root, backend, optimizer, epochs, units, losses, killAt, signalAt, strike, listEventsOf } =
    training;
  const events: string[] = [];
  const die = () => process.kill(process.pid, 'SIGKILL');
  const recorder: Hook = {
    name: 'recorder',
    onTrainStart: () => {
      // By now the run has its folder, and has cleared what a killed process left there.
      if (strike) strikeWhileSaving(join(root, 'runs'), strike);
    },
    onStepEnd: (ctx, { step, loss }) => {
      ctx.log({ 'proof/step': step }); // so that there is always something for onLog
      appendFileSync(losses, `${step} ${bits(Float32Array.of(loss))}\n`);
      if (killAt === `step ${ctx.state.step}`) die();
      if (signalAt?.step !== step) return undefined;
      process.kill(process.pid, signalAt.signal);
      // It comes with the next turn of the event loop.
      return setTimeout(20);
    },
    // A metric that disagrees with the loss: highest where the loss is.
    onEpochEnd: (ctx, { epoch, metrics }) =>
      ctx.log({ 'proof/epoch': epoch, 'proof/worst': metrics['val/loss'] ?? 0 }),
    onCheckpointSave: (_ctx, { path }) => {
      appendFileSync(training.saved, `${path}\n`);
    },
  };
  const watched = Object.keys(EVENTS).filter((name) => name.startsWith('on'));
  const watcher = Object.fromEntries(
    watched.map((event) => [
      event,
      (ctx: HookContext, payload: object) => {
        const key = eventKey(event, ctx, payload);
        if (ctx.state.epoch === listEventsOf) events.push(key);
        if (key === killAt) die();
      },
    ]),
  );
  const isWatched = listEventsOf !== undefined || (killAt !== undefined && !killAt.startsWith('step '));
  const trainer = new Trainer({
    model: () =>
      tfl.sequential({
        layers: [
          tfl.layers.dense({ name: 'hidden', units, inputShape: [3], activation: 'tanh' }),
          tfl.layers.batchNormalization({ name: 'norm' }),
          tfl.layers.dropout({ rate: 0.3 }),
          tfl.layers.dense({ name: 'out', units: 1 }),
        ],
      }),
    loss: 'meanSquaredError',
    ...(optimizer && { optimizer }),
    schedule: { name: 'cosine', steps: 40 },
    seed: 1,
    root,
    discover: false,
    backend,
    logger: createLogger({ level: training.talks ? 'debug' : 'error' }),
    hooks: [
      recorder,
      ...(isWatched ? [{ name: 'watcher', ...watcher } as Hook] : []),
      earlyStopping({ patience: 1000, restoreBest: true }),
      checkpoint(training.checkpoint),
    ],
  });
  const result = await trainer.fit({
    train: samples(12),
    validation: samples(4, 2),
    epochs,
    batchSize: 4, // 3 batches an epoch
    ...(training.resume && { resume: 'auto' }),
  });
  const model = (await trainer.model()) as tfl.Sequential;
  const hash = createHash('sha256');
  for (const weight of model.getWeights()) hash.update(bits(weight.dataSync() as Float32Array));
  const { status, stopReason, metrics, runDir } = result;
  return { status, stopReason, weights: hash.digest('hex'), metrics, runDir, events };
}

const training = JSON.parse(process.argv[2]!) as Training;
const trained = JSON.stringify(await train(training));
// After the reader has gone there is nobody to tell.
if (!training.strike) writeSync(1, `${trained}\n`);
