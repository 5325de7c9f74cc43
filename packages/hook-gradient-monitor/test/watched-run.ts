import type { Hook, HookContext, HookEvents, Metrics } from '@hookline/hook-api';
import { collectingLogger, type LogLine, TEST_BACKEND } from '@hookline/test-support';
import { type FitOptions, type FitResult, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';

export interface WatchedRun {
  trainer: Trainer;
  /** What loggers were given, boundary by boundary. */
  logs: HookEvents['onLog'][];
  said: LogLine[];
  fit(options?: Partial<FitOptions>): Promise<FitResult>;
  weights(): Promise<number[]>;
}

/** A small real run; `encoder` and `decoder` are its layers. */
export function watchedRun(hooks: Hook[], options: Partial<TrainerOptions> = {}): WatchedRun {
  const logs: HookEvents['onLog'][] = [];
  const said: LogLine[] = [];
  const recorder: Hook = { name: 'recorder', onLog: (_ctx, event) => void logs.push(event) };
  const trainer = new Trainer({
    model: () => smallModel(),
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [recorder, ...hooks],
    discover: false,
    backend: TEST_BACKEND,
    runsDir: false,
    seed: 5,
    logger: collectingLogger(said),
    ...options,
  });
  return {
    trainer,
    logs,
    said,
    fit: ({ train = samples(8), ...fitOptions } = {}) =>
      trainer.fit({ train, epochs: 1, batchSize: 8, ...fitOptions }),
    weights: async () => {
      const model = (await trainer.model()) as tfl.LayersModel;
      return model.getWeights().flatMap((weight) => [...weight.dataSync()]);
    },
  };
}

export function smallModel({ activation = 'tanh' }: { activation?: 'tanh' | 'relu' } = {}): tfl.Sequential {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'encoder', inputShape: [6], units: 5, activation }),
      tfl.layers.dense({ name: 'decoder', units: 2 }),
    ],
  });
}

export function samples(count: number): { xs: tf.Tensor2D; ys: tf.Tensor2D } {
  const row = (i: number, width: number) =>
    Array.from({ length: width }, (_, j) => Math.sin(i * 1.7 + j * j));
  return {
    xs: tf.tensor2d(Array.from({ length: count }, (_, i) => row(i, 6))),
    ys: tf.tensor2d(Array.from({ length: count }, (_, i) => row(i + 0.5, 2))),
  };
}

/** The hook, made to believe that its backend is a device: it then measures with tensor operations. */
export function onDevice(hook: Hook): Hook {
  const told = (ctx: HookContext): HookContext => {
    const state = Object.create(ctx.state, { backend: { value: 'tensorflow' } });
    return Object.create(ctx, { state: { value: state } });
  };
  const methods = Object.entries(hook).map(([name, method]) => {
    const isHandler = typeof method === 'function' && !/State$/.test(name);
    return [
      name,
      isHandler ? (ctx: HookContext, event: never) => method.call(hook, told(ctx), event) : method,
    ];
  });
  return Object.fromEntries(methods) as Hook;
}

/** Puts these values into the gradient of a parameter, beginning with its first value. */
export function poison(path: string, ...values: number[]): Hook {
  return {
    name: 'poison',
    transformGradients(_ctx, { gradients }) {
      const gradient = gradients[path]!;
      const changed = gradient.dataSync().slice();
      changed.set(values);
      return { [path]: tf.tensor(changed, gradient.shape) };
    },
  };
}

/** Keeps copies of the gradients of a step, raw and as they are applied, and of the weights around the update. */
export function witness(): Hook & { seen: Record<string, Record<string, number[]>> } {
  const seen: Record<string, Record<string, number[]>> = { raw: {}, applied: {}, before: {}, after: {} };
  const copy = (into: string, tensors: Readonly<Record<string, tf.Tensor>>, paths = Object.keys(tensors)) => {
    for (const path of paths) seen[into]![path] = [...tensors[path]!.dataSync()];
  };
  return {
    name: 'witness',
    seen,
    transformGradients: (_ctx, { gradients }) => {
      copy('raw', gradients);
      return undefined;
    },
    onBeforeOptimizerStep: ({ state }, { gradients }) => {
      copy('applied', gradients);
      copy('before', state.parameters, Object.keys(gradients));
    },
    onAfterOptimizerStep: ({ state }, { gradients }) =>
      copy('after', state.parameters, Object.keys(gradients)),
  };
}

/** The metrics whose names begin like this, by the rest of the name. */
export function under(prefix: string, values: Metrics): Metrics {
  const mine = Object.entries(values).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(mine.map(([name, value]) => [name.slice(prefix.length), value]));
}
