import { isDeepStrictEqual } from 'node:util';
import {
  EVENTS,
  type EventName,
  every,
  type Hook,
  type HookContext,
  type Snapshot,
} from '@hookline/hook-api';
import { regression, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { combine, type FitOptions, type FitResult, type TrainerOptions } from '../../src/index.js';
import { quietTrainer } from './quiet-trainer.js';

/** Everything that has a state: dropout with and without a seed, moving averages, three kinds of layers. */
function model(): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'hidden', units: 4, inputShape: [3], activation: 'tanh' }),
      tfl.layers.batchNormalization({ name: 'norm' }),
      tfl.layers.dropout({ rate: 0.3, seed: 5 }),
      tfl.layers.gaussianNoise({ stddev: 0.1 }),
      tfl.layers.dense({ name: 'out', units: 1 }),
    ],
  });
}

export interface Variant {
  trainer?: Partial<TrainerOptions> | (() => Partial<TrainerOptions>);
  fit?: Partial<FitOptions>;
  /** Snapshots are awaited, and none are taken where that is not possible. */
  waits?: boolean;
}

/** Steps of several batches with a flushed one, validation within epochs, averaged weights, a schedule that watches. */
export const EVERYTHING: Variant = {
  trainer: {
    optimizer: [
      { name: 'adam', lr: 0.02, params: 'hidden/*' },
      { name: 'sgd', lr: 0.05, momentum: 0.9 },
    ],
    metrics: ['meanAbsoluteError'],
    accumulate: 2,
    clip: { globalNorm: 0.5 },
    ema: { decay: 0.8 },
    schedule: { name: 'plateau', patience: 1, factor: 0.7, threshold: 0.5 },
  },
  fit: { validateEvery: { steps: 2 } },
};

/** One number that a run told, and where it was then. */
export interface Told {
  event: EventName;
  epoch: number;
  step: number;
  batchIndex: number;
  numbers: unknown;
}

export interface Outcome {
  told: Told[];
  result: FitResult;
  weights: number[][];
}

export interface Taken {
  event: EventName;
  /** How many of this event there were before. */
  occurrence: number;
  /** Of what was told, how much. */
  at: number;
  epoch: number;
  batchIndex: number;
  snapshot: Snapshot;
}

/** A whole run in which a snapshot is taken in every event, also where nothing can be awaited. */
export async function straightRun(variant: Variant): Promise<Outcome & { taken: Taken[] }> {
  const pending: Promise<Taken>[] = [];
  const counts = new Map<EventName, number>();
  const told: Told[] = [];
  const take = (event: EventName) => (ctx: HookContext) => {
    const occurrence = counts.get(event) ?? 0;
    counts.set(event, occurrence + 1);
    const { epoch, batchIndex } = ctx.state;
    const taken = { event, occurrence, at: told.length, epoch, batchIndex };
    const snapshot = ctx.snapshot();
    pending.push(snapshot.then((each) => ({ ...taken, snapshot: throughJson(each) })));
    // Else what training does meanwhile must not show in it.
    return variant.waits ? snapshot.then(() => {}) : undefined;
  };
  const events = (Object.keys(EVENTS) as EventName[]).filter(
    (event) => event !== 'setup' && !(variant.waits && EVENTS[event].sync),
  );
  const taker = Object.fromEntries(events.map((event) => [event, take(event)]));
  const outcome = await runWith(variant, told, [{ name: 'taker', ...taker } as Hook]);
  return { ...outcome, taken: await Promise.all(pending) };
}

/** What becomes of a snapshot in a trainer that has seen nothing before. */
export function resumedRun(variant: Variant, snapshot: Snapshot): Promise<Outcome> {
  const memory: Hook = {
    name: 'memory',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async (path) => ({ path }),
        load: async () => snapshot,
        save: async () => {},
      }),
  };
  // A trainer without a seed draws one: that of the checkpoint goes on.
  return runWith({ ...variant, fit: { ...variant.fit, resume: 'there' } }, [], [memory], {
    seed: undefined,
  } as object);
}

async function runWith(
  { trainer: options, fit }: Variant,
  told: Told[],
  hooks: Hook[],
  more: Partial<TrainerOptions> = {},
): Promise<Outcome> {
  const own = typeof options === 'function' ? options() : options;
  const trainer = quietTrainer({ model, ...own, ...more, hooks: [shrinker(), teller(told), ...hooks] });
  const result = await trainer.fit({
    train: combine(
      { a: regression(9), b: regression(7, 3) },
      { strategy: 'weighted', weights: { a: 2, b: 1 } },
    ),
    validation: regression(6, 2),
    epochs: 3,
    batchSize: 4,
    ...fit,
  } as FitOptions);
  const trained = (await trainer.model()) as tfl.Sequential;
  const weights = weightsOf(trained);
  // There are hundreds of these.
  await trainer.dispose();
  tf.dispose(trained.getWeights());
  return { told, result, weights };
}

/** Changes what is trained on, in some steps, by an amount that follows from the seed. */
function shrinker(): Hook {
  return {
    name: 'shrinker',
    transformBatch: every({ steps: 2 }, (ctx, { batch }) => {
      const factor = 0.5 + (ctx.seed() % 100) / 200;
      return { ...batch, xs: tf.mul(batch.xs as tf.Tensor, factor) };
    }),
  };
}

/** Listens to everything that has numbers, and logs some of its own. */
function teller(told: Told[]): Hook {
  const tell = (event: EventName) => (ctx: HookContext, payload: object) => {
    const { epoch, step, batchIndex } = ctx.state;
    const { loss, metrics, values } = payload as Record<string, unknown>;
    told.push({ event, epoch, step, batchIndex, numbers: { loss, metrics, values } });
    if (event === 'onStepEnd') ctx.log({ 'teller/loss': loss as number });
    if (event === 'onValidationEnd') ctx.log({ 'teller/lr': ctx.state.optimizers[0]!.groups[0]!.lr });
  };
  const events = [
    'onStepStart',
    'onStepEnd',
    'onTrainBatchEnd',
    'onValidationBatchEnd',
    'onValidationEnd',
    'onEpochEnd',
    'onLog',
  ];
  return {
    name: 'teller',
    ...Object.fromEntries(events.map((event) => [event, tell(event as EventName)])),
  };
}

/** How a resumed run differs from what the straight one gave from there on; empty when it does not. */
export function differences(straight: Outcome, resumed: Outcome, taken: Taken): string[] {
  const { epoch, batchIndex, at } = taken;
  // What the rest of the batch tells after its update is not told again.
  const isOfBatch = (told: Told) =>
    told.epoch === epoch &&
    told.batchIndex === batchIndex &&
    ['onStepEnd', 'onTrainBatchEnd', 'onLog'].includes(told.event);
  const told = resumed.told.slice(resumed.told.findIndex((each) => !isOfBatch(each)));
  const lost = straight.told.slice(at, straight.told.length - told.length).filter((each) => !isOfBatch(each));
  const pairs: [string, unknown, unknown][] = [
    ['weights', straight.weights, resumed.weights],
    ['history', tail(straight.result.history, resumed.result.history), resumed.result.history],
    ['best', straight.result.best, resumed.result.best],
    ['metrics', measured(straight), measured(resumed)],
    ['what is told', tail(straight.told, told), told],
    ['what is lost', [], lost],
  ];
  return pairs
    .filter(([, expected, given]) => !isDeepStrictEqual(expected, given))
    .map(([what]) => `${taken.event} ${taken.occurrence}, epoch ${epoch}, batch ${batchIndex}: ${what}`);
}

function tail<Item>(all: readonly Item[], like: readonly Item[]): Item[] {
  return all.slice(all.length - like.length);
}

/** Without what was logged, of which the last may be in the part that is not told again. */
function measured({ result: { metrics } }: Outcome): [string, number][] {
  return Object.entries(metrics).filter(([name]) => !name.startsWith('teller/'));
}

/** As a file would keep it. */
function throughJson(snapshot: Snapshot): Snapshot {
  return { ...snapshot, state: JSON.parse(JSON.stringify(snapshot.state)) };
}
