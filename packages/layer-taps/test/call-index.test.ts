import * as tf from '@tensorflow/tfjs-core';
import { input, type LayersModel, layers, model, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { tap } from '../src/index.js';
import { Attention, zoo } from './models.js';

const SEQUENCE = tf.ones([4, 5, 6]);

/** `path index` for each call of the tapped layers while `run` runs. */
function uses(someModel: LayersModel, filter: string | string[], run: () => unknown): string[] {
  const seen: string[] = [];
  const tapped = tap(someModel, filter, ({ path, callIndex }) => void seen.push(`${path} ${callIndex}`));
  run();
  tapped.remove();
  return seen;
}

const indices = (path: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${path} ${i}`);

/** A model that runs one encoder on both of its inputs. */
function siamese(): { both: LayersModel; encoder: LayersModel } {
  const encoder = sequential({
    name: 'encoder',
    layers: [
      layers.dense({ units: 2, inputShape: [2] }),
      layers.dense({ units: 2, name: 'second' }),
      layers.reshape({ targetShape: [1, 2] }),
      layers.timeDistributed({ layer: layers.dense({ units: 2 }), name: 'td' }),
    ],
  });
  const [a, b] = [input({ shape: [2] }), input({ shape: [2] })];
  const merged = layers.add().apply([encoder.apply(a), encoder.apply(b)] as never);
  return { both: model({ inputs: [a, b], outputs: merged as never }), encoder };
}

describe('the call index', () => {
  it('counts the uses of a shared layer, and starts over with each pass', () => {
    const someModel = zoo();
    const once = ['dense_1 0', 'dense_1 1'];
    const run = (passes: number, pass: () => unknown): void => {
      expect(uses(someModel, 'dense_1', pass)).toEqual(Array.from({ length: passes }, () => once).flat());
    };
    run(1, () => someModel.predict(SEQUENCE));
    run(2, () => [someModel.predict(SEQUENCE), someModel.predict(SEQUENCE)]);
    run(2, () => [someModel.apply(SEQUENCE), someModel.call(SEQUENCE, {})]);
    run(2, () => tf.tidy(() => void [someModel.apply(SEQUENCE), someModel.apply(SEQUENCE)]));
    run(1, () => tf.variableGrads(() => tf.sum(someModel.apply(SEQUENCE) as tf.Tensor)));
  });

  it('starts over with each batch of predict and evaluate', () => {
    const someModel = zoo();
    someModel.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    const threeBatches = ['dense_1 0', 'dense_1 1', 'dense_1 0', 'dense_1 1', 'dense_1 0', 'dense_1 1'];
    const x = tf.ones([5, 5, 6]);
    expect(uses(someModel, 'dense_1', () => someModel.predict(x, { batchSize: 2 }))).toEqual(threeBatches);
    expect(
      uses(someModel, 'dense_1', () => someModel.evaluate(x, tf.ones([5, 1]), { batchSize: 2 })),
    ).toEqual(threeBatches);
  });

  it('starts over with each batch of fit, validation included', async () => {
    const someModel = zoo();
    someModel.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    const seen: string[] = [];
    const shared = tap(someModel, 'dense_1', ({ callIndex, training }) => {
      seen.push(`${training ? 'train' : 'validate'} ${callIndex}`);
    });
    const y = tf.ones([4, 1]);
    await someModel.fit(SEQUENCE, y, { batchSize: 2, epochs: 1, validationData: [SEQUENCE, y] });
    shared.remove();
    const [train, validate] = [
      ['train 0', 'train 1'],
      ['validate 0', 'validate 1'],
    ];
    expect(seen).toEqual([...train!, ...train!, ...validate!, ...validate!]);
  });

  it('counts the steps of RNN cells and of TimeDistributed, through all the layers around them', () => {
    const someModel = zoo();
    for (const path of [
      'td/layer',
      'bidi/forward/cell',
      'bidi/backward/cell',
      'lstm_1/cell',
      'rnn_1/cell/cell_2',
    ]) {
      const pass = indices(path, 5);
      expect(uses(someModel, path, () => [someModel.predict(SEQUENCE), someModel.apply(SEQUENCE)])).toEqual([
        ...pass,
        ...pass,
      ]);
      expect(uses(someModel, path, () => someModel.predict(SEQUENCE, { batchSize: 2 }))).toEqual([
        ...pass,
        ...pass,
      ]);
    }
  });

  it('continues counting when a nested model is used twice in a pass', () => {
    const { both } = siamese();
    const x = tf.ones([1, 2]);
    const expected = ['encoder/second 0', 'encoder/td/layer 0', 'encoder/second 1', 'encoder/td/layer 1'];
    const filter = ['encoder/second', 'encoder/td/layer'];
    expect(uses(both, filter, () => both.predict([x, x]))).toEqual(expected);
    expect(uses(both, filter, () => both.apply([x, x]))).toEqual(expected);
    expect(uses(both, filter, () => tf.tidy(() => void [both.apply([x, x]), both.apply([x, x])]))).toEqual([
      ...expected,
      ...expected,
    ]);
  });

  it('starts over when a nested model runs alone', () => {
    const { both, encoder } = siamese();
    const x = tf.ones([1, 2]);
    const filter = ['encoder/second', 'encoder/td/layer'];
    const alone = ['encoder/second 0', 'encoder/td/layer 0'];
    expect(uses(both, filter, () => [encoder.predict(x), encoder.apply(x)])).toEqual([...alone, ...alone]);
  });

  it('does not depend on what else is tapped', () => {
    const { both } = siamese();
    const x = tf.ones([1, 2]);
    const all = tap(both, '**', () => {});
    expect(uses(both, 'encoder/second', () => both.predict([x, x]))).toEqual(indices('encoder/second', 2));
    all.remove();
  });

  it('is kept when a handler runs the same model in the middle of a pass', () => {
    const someModel = zoo();
    const seen: string[] = [];
    let inside = false;
    const shared = tap(someModel, ['lstm_1/cell', 'dense_1'], ({ path, callIndex }) => {
      seen.push(`${inside ? 'inner ' : ''}${path} ${callIndex}`);
      if (inside || !['lstm_1/cell 2', 'dense_1 0'].includes(`${path} ${callIndex}`)) return;
      inside = true;
      someModel.predict(SEQUENCE);
      inside = false;
    });
    someModel.predict(SEQUENCE);
    shared.remove();
    const pass = [...indices('lstm_1/cell', 5), ...indices('dense_1', 2)];
    const inner = pass.map((use) => `inner ${use}`);
    expect(seen).toEqual([...pass.slice(0, 3), ...inner, ...pass.slice(3, 6), ...inner, ...pass.slice(6)]);
  });

  it('is kept when an untapped custom layer runs another tapped model in the middle of a pass', () => {
    const other = sequential({ layers: [layers.dense({ units: 2, inputShape: [2] })] });
    class RunsOther extends layers.Layer {
      static className = 'RunsOther';
      override call(inputs: tf.Tensor | tf.Tensor[]): tf.Tensor | tf.Tensor[] {
        return other.predict(inputs) as tf.Tensor;
      }
    }
    const x = input({ shape: [2] });
    const shared = layers.dense({ units: 2, name: 'shared' });
    const someModel = model({
      inputs: x,
      outputs: shared.apply(new RunsOther({}).apply(shared.apply(x))) as never,
    });
    const seen: string[] = [];
    const taps = [someModel, other].map((each) =>
      tap(each, /shared|dense_1/, ({ path, callIndex }) => void seen.push(`${path} ${callIndex}`)),
    );
    someModel.predict(tf.ones([1, 2]));
    for (const each of taps) each.remove();
    expect(seen).toEqual(['shared 0', 'dense_1 0', 'shared 1']);
  });

  it('counts for each of two models that run in turns', () => {
    const [first, second] = [zoo(), zoo()];
    const seen: string[] = [];
    const taps = [first, second].map((someModel, i) =>
      tap(someModel, 'dense_1', ({ callIndex }) => void seen.push(`${i} ${callIndex}`)),
    );
    tf.tidy(() => {
      for (const someModel of [first, second, first]) someModel.apply(SEQUENCE);
    });
    for (const each of taps) each.remove();
    expect(seen).toEqual(['0 0', '0 1', '1 0', '1 1', '0 0', '0 1']);
  });

  it('counts inside custom layers', () => {
    const x = input({ shape: [2] });
    const attention = new Attention({ name: 'attention' });
    const someModel = model({ inputs: x, outputs: attention.apply(attention.apply(x)) as never });
    const twice = () => [someModel.predict(tf.ones([1, 2])), someModel.predict(tf.ones([1, 2]))];
    expect(uses(someModel, 'attention/key', twice)).toEqual([
      ...indices('attention/key', 2),
      ...indices('attention/key', 2),
    ]);
  });
});
