import type { Hook, HookContext, Metrics } from '@hookline/hook-api';

/** What tfjs's `model.fit` takes as a callback: plain functions, or an instance of `tf.Callback`. */
export interface TfjsCallback {
  onTrainBegin?(logs?: Logs): void | Promise<void>;
  onTrainEnd?(logs?: Logs): void | Promise<void>;
  onEpochBegin?(epoch: number, logs?: Logs): void | Promise<void>;
  onEpochEnd?(epoch: number, logs?: Logs): void | Promise<void>;
  onBatchBegin?(batch: number, logs?: Logs): void | Promise<void>;
  onBatchEnd?(batch: number, logs?: Logs): void | Promise<void>;
  setParams?(params: Record<string, unknown>): void;
  setModel?(model: unknown): void;
}

// biome-ignore lint/suspicious/noExplicitAny: tfjs types the logs of its callbacks differently from one to the next.
type Logs = any;

/** Runs a callback of tfjs as a hook. It stops the run the way it stops `model.fit`: `model.stopTraining = true`. */
export function callbackHook(callback: TfjsCallback, name: string): Hook {
  const stopping = { stopTraining: false };
  const relay = (ctx: HookContext, result: void | Promise<void> | undefined) => {
    const check = () => {
      if (stopping.stopTraining) ctx.stop(`${name} set model.stopTraining`);
    };
    return result ? result.then(check) : check();
  };
  return {
    name,
    onTrainStart: (ctx, { epochs, batchesPerEpoch }) => {
      stopping.stopTraining = false;
      callback.setParams?.({ epochs, steps: batchesPerEpoch, verbose: 0 });
      callback.setModel?.(stoppable(ctx.state.model, stopping));
      return relay(ctx, callback.onTrainBegin?.({}));
    },
    ...(callback.onEpochBegin && {
      onEpochStart: (ctx, { epoch }) => relay(ctx, callback.onEpochBegin!(epoch, {})),
    }),
    ...(callback.onBatchBegin && {
      onTrainBatchStart: (ctx, { batchIndex }) =>
        relay(ctx, callback.onBatchBegin!(batchIndex, { batch: batchIndex })),
    }),
    ...(callback.onBatchEnd && {
      onTrainBatchEnd: (ctx, { batchIndex, metrics }) =>
        relay(ctx, callback.onBatchEnd!(batchIndex, { batch: batchIndex, ...tfjsLogs(metrics) })),
    }),
    ...(callback.onEpochEnd && {
      onEpochEnd: (ctx, { epoch, metrics }) => relay(ctx, callback.onEpochEnd!(epoch, tfjsLogs(metrics))),
    }),
    onTrainEnd: (ctx, { metrics }) => relay(ctx, callback.onTrainEnd?.(tfjsLogs(metrics))),
  };
}

/** `train/loss` and `val/accuracy` as tfjs names them: `loss` and `val_acc`. */
function tfjsLogs(metrics: Metrics): Record<string, number> {
  const entries = Object.entries(metrics).flatMap(([name, value]): [string, number][] => {
    const [prefix, ...rest] = name.split('/');
    const short = rest.join('_').replace(/^accuracy$/, 'acc');
    return prefix === 'train' ? [[short, value]] : prefix === 'val' ? [[`val_${short}`, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** The model, with a `stopTraining` that is the run's own, so that the flag does not outlive it. */
function stoppable(model: object, stopping: { stopTraining: boolean }): unknown {
  return new Proxy(model, {
    get: (target, key) => {
      if (key === 'stopTraining') return stopping.stopTraining;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => {
      if (key !== 'stopTraining') return Reflect.set(target, key, value, target);
      stopping.stopTraining = value;
      return true;
    },
  });
}
