import { classes, classifier, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test, vi } from 'vitest';
import type { TfjsCallback } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const { xs, oneHot } = classes(8);
const data = { xs, ys: oneHot };

function train(callbacks: TfjsCallback[], epochs = 2) {
  const trainer = quietTrainer({
    model: classifier(),
    loss: 'categoricalCrossentropy',
    metrics: ['accuracy'],
    callbacks,
  });
  return trainer.fit({ train: data, validation: data, epochs, batchSize: 4 });
}

test('plain callbacks of model.fit are called at the same places, with the names of tfjs in the logs', async () => {
  const diary: unknown[] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      diary.push([name, ...args.map((arg) => (typeof arg === 'object' ? Object.keys(arg!).sort() : arg))]);
    };
  await train(
    [
      {
        onTrainBegin: note('onTrainBegin'),
        onEpochBegin: note('onEpochBegin'),
        onBatchBegin: note('onBatchBegin'),
        onBatchEnd: note('onBatchEnd'),
        onEpochEnd: note('onEpochEnd'),
        onTrainEnd: note('onTrainEnd'),
      },
    ],
    1,
  );
  const epochLogs = ['acc', 'loss', 'val_acc', 'val_loss'];
  expect(diary).toEqual([
    ['onTrainBegin', []],
    ['onEpochBegin', 0, []],
    ['onBatchBegin', 0, ['batch']],
    ['onBatchEnd', 0, ['acc', 'batch', 'loss']],
    ['onBatchBegin', 1, ['batch']],
    ['onBatchEnd', 1, ['acc', 'batch', 'loss']],
    ['onEpochEnd', 0, epochLogs],
    ['onTrainEnd', epochLogs],
  ]);
});

test('a tf.Callback gets params and the model, which it can look at and change', async () => {
  class Probe extends tfl.Callback {
    seen: unknown[] = [];
    override async onTrainBegin() {
      const { epochs, steps } = this.params as { epochs: number; steps: number };
      this.seen.push(epochs, steps, this.model instanceof tfl.LayersModel, this.model.layers.length);
    }
    override async onEpochEnd(_epoch: number, logs?: { loss?: number }) {
      this.seen.push(typeof logs?.loss, this.model.getWeights().length);
    }
  }
  const probe = new Probe();
  await train([probe], 1);
  expect(probe.seen).toEqual([1, 2, true, 2, 'number', 4]);
});

test('model.stopTraining = true stops the run, and the flag does not outlive it', async () => {
  class StopAfterFirst extends tfl.Callback {
    override async onEpochEnd() {
      (this.model as tfl.LayersModel).stopTraining = true;
    }
  }
  const model = classifier();
  const trainer = quietTrainer({
    model,
    loss: 'categoricalCrossentropy',
    callbacks: [new StopAfterFirst()],
  });
  for (let run = 0; run < 2; run++) {
    const { status, stopReason, history } = await trainer.fit({ train: data, epochs: 5 });
    expect(status).toBe('stopped');
    expect(stopReason).toContain('callback-1');
    expect(history).toHaveLength(1);
  }
  expect(model.stopTraining).not.toBe(true);
});

test('the EarlyStopping of tfjs-layers stops when val_loss no longer falls', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {});
  const trainer = quietTrainer({
    model: regressor(),
    optimizer: { name: 'sgd', lr: 0 }, // nothing improves
    callbacks: [tfl.callbacks.earlyStopping({ monitor: 'val_loss', patience: 2 })],
  });
  const { status, history } = await trainer.fit({
    train: regression(8),
    validation: regression(4, 2),
    epochs: 20,
  });
  print.mockRestore();
  expect(status).toBe('stopped');
  expect(history).toHaveLength(3);
});

test('several callbacks run in their order, after the hooks', async () => {
  const diary: string[] = [];
  const callback = (name: string): TfjsCallback => ({ onEpochEnd: () => void diary.push(name) });
  const trainer = quietTrainer({
    model: regressor(),
    callbacks: [callback('first'), callback('second')],
    hooks: [{ name: 'hook', onEpochEnd: () => void diary.push('hook') }],
  });
  await trainer.fit({ train: regression(4), epochs: 1 });
  expect(diary).toEqual(['hook', 'first', 'second']);
  expect(trainer.hooks.list().map(({ name }) => name)).toEqual(['hook', 'callback-1', 'callback-2']);
});

test('a callback that only looks changes nothing, and one that throws is isolated', async () => {
  const trained = async (callbacks: TfjsCallback[]) => {
    const model = regressor();
    const { status } = await quietTrainer({ model, callbacks }).fit({ train: regression(8), epochs: 2 });
    expect(status).toBe('completed');
    return weightsOf(model);
  };
  const expected = await trained([]);
  class Quiet extends tfl.Callback {}
  expect(await trained([new Quiet(), { onBatchEnd: () => {} }])).toEqual(expected);
  expect(await trained([{ onBatchEnd: () => Promise.reject(new Error('no')) }])).toEqual(expected);
});
