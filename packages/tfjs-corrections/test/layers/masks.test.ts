import { tap } from '@hookline/layer-taps';
import { fixWeights, rows, TEST_BACKENDS } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { correctLayers } from '../../src/index.js';
import { predict as predictTensors, trainingStep, valuesOf } from './training-step.js';

const { layers } = tfl;
type Symbolic = tfl.SymbolicTensor;

/** Sequences of 4 steps, of which the last two of the second sequence are zero, and so masked. */
const padded = tf.tensor3d([...rows(1, 8).flat(), ...rows(1, 4, 2).flat(), 0, 0, 0, 0], [2, 4, 2]);
const full = tf.tensor3d(rows(2, 8, 3).flat(), [2, 4, 2]);

const input = (name: string) => tfl.input({ shape: [4, 2], name });

/** What a chain of layers gives: stock tfjs masks a chain correctly. */
function chain(x: tf.Tensor, ...chained: tfl.layers.Layer[]): number[] {
  const start = tfl.input({ shape: x.shape.slice(1) });
  const end = chained.reduce<Symbolic>((value, layer) => layer.apply(value) as Symbolic, start);
  return tf.tidy(() => valuesOf(tfl.model({ inputs: start, outputs: end }).predict(x) as tf.Tensor));
}

async function predict(
  model: tfl.LayersModel,
  xs: tf.Tensor[],
  backend: string = 'cpu',
): Promise<number[][]> {
  return (await predictTensors(model, xs, { backend })).map(valuesOf);
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    expect(actual[i]).toBeCloseTo(value, 5);
  });
}

/** A masked branch, then one without a mask. */
function branches() {
  const masking = layers.masking();
  const first = layers.simpleRNN({ units: 2 });
  const second = layers.simpleRNN({ units: 2 });
  const [a, b] = [input('a'), input('b')];
  const outputs = [first.apply(masking.apply(a)), second.apply(b)] as Symbolic[];
  return { model: fixWeights(tfl.model({ inputs: [a, b], outputs })), masking, first, second };
}

test('stock tfjs masks a branch with the mask of another', () => {
  const { model, second } = branches();
  const [, unmasked] = model.predict([padded, full]) as [tf.Tensor, tf.Tensor];
  const difference = chain(full, second).map((value, i) => Math.abs(value - valuesOf(unmasked)[i]!));
  expect(Math.max(...difference)).toBeGreaterThan(0.01);
});

test.each(TEST_BACKENDS)(
  'a branch without a mask is not masked, in prediction and in training: %s',
  async (backend) => {
    const { model, masking, first, second } = branches();
    const expected = [chain(padded, masking, first), chain(full, second)] as const;
    const [masked, unmasked] = await predict(model, [padded, full], backend);
    expectClose(masked!, expected[0]);
    expectClose(unmasked!, expected[1]);
    const zeros = tf.zeros([2, 2]);
    const { loss } = await trainingStep(model, { xs: [padded, full], ys: [zeros, zeros] }, { backend });
    const meanSquare = (of: readonly number[]) =>
      of.reduce((sum, value) => sum + value * value, 0) / of.length;
    expect(loss).toBeCloseTo(meanSquare(expected[0]) + meanSquare(expected[1]), 5);
  },
);

/** An RNN that starts with the state of another, then one that starts with none. */
function decoder(masked: boolean) {
  const encoder = layers.lstm({ units: 2, returnSequences: true, returnState: true });
  const first = layers.lstm({ units: 2, returnSequences: true });
  const second = layers.lstm({ units: 2 });
  const masking = layers.masking();
  const [a, b] = [input('a'), input('b')];
  const [, ...state] = encoder.apply(masked ? masking.apply(a) : a) as Symbolic[];
  const decoded = first.apply(b, { initialState: state }) as Symbolic;
  const model = tfl.model({ inputs: [a, b], outputs: second.apply(decoded) as Symbolic });
  return { model: fixWeights(model), masking, encoder, first, second };
}

test.each([false, true])(
  'stock tfjs fails on an RNN after one with an initial state; masked: %s',
  (masked) => {
    const { model } = decoder(masked);
    expect(() => model.apply([padded, full], { training: true })).toThrow(
      'neither initialState or constants should be provided',
    );
  },
);

test.each([false, true])(
  'an RNN after one with an initial state starts with none; masked: %s',
  async (masked) => {
    const { model, masking, encoder, first, second } = decoder(masked);
    const expected = tf.tidy(() => {
      const mask = masked ? (masking.computeMask(padded, []) as tf.Tensor) : undefined;
      const [, ...initialState] = encoder.call(masking.call(padded, {}), { mask }) as tf.Tensor[];
      return valuesOf(second.call(first.call(full, { initialState }), {}) as tf.Tensor);
    });
    expectClose((await predict(model, [padded, full]))[0]!, expected);
  },
);

test('masks go into models and come out of them', async () => {
  const masking = layers.masking();
  const dense = layers.dense({ units: 2 });
  const first = layers.simpleRNN({ units: 2, returnSequences: true });
  const second = layers.simpleRNN({ units: 2 });
  const unmasked = layers.simpleRNN({ units: 2 });
  const inner = tfl.sequential({ layers: [layers.activation({ activation: 'linear', inputShape: [4, 2] })] });
  inner.add(dense);
  inner.add(first);
  const [a, b] = [input('a'), input('b')];
  const outputs = [second.apply(inner.apply(masking.apply(a)) as Symbolic), unmasked.apply(b)] as Symbolic[];
  const model = fixWeights(tfl.model({ inputs: [a, b], outputs }));
  const expected = [chain(padded, masking, dense, first, second), chain(full, unmasked)] as const;
  const actual = await predict(model, [padded, full]);
  expectClose(actual[0]!, expected[0]);
  expectClose(actual[1]!, expected[1]);

  // A tap that replaces the output of the inner model keeps its mask.
  const { remove } = tap(model, '*', ({ output }) => tf.clone(output));
  const tapped = await predict(model, [padded, full]);
  remove();
  expectClose(tapped[0]!, expected[0]);
});

test('a layer that a model uses twice passes each mask on to its own output', async () => {
  const shared = layers.simpleRNN({ units: 2, returnSequences: true });
  const [innerA, innerB] = [input('innerA'), input('innerB')];
  const outputs = [shared.apply(innerA), shared.apply(innerB)] as Symbolic[];
  const inner = tfl.model({ inputs: [innerA, innerB], outputs });
  const [first, second] = [layers.simpleRNN({ units: 2 }), layers.simpleRNN({ units: 2 })];
  const masking = layers.masking();
  const [a, b] = [input('a'), input('b')];
  const [masked, unmasked] = inner.apply([masking.apply(a), b] as Symbolic[]) as Symbolic[];
  const model = fixWeights(
    tfl.model({ inputs: [a, b], outputs: [first.apply(masked!), second.apply(unmasked!)] as Symbolic[] }),
  );
  const actual = await predict(model, [padded, full]);
  expectClose(actual[0]!, chain(padded, masking, shared, first));
  expectClose(actual[1]!, chain(full, shared, second));
});

/** Masks all steps but the first. */
class OnlyFirst extends tfl.layers.Layer {
  static className = 'OnlyFirst';
  override supportsMasking = true;

  override call(inputs: tf.Tensor | tf.Tensor[]): tf.Tensor {
    return tf.clone(Array.isArray(inputs) ? inputs[0]! : inputs);
  }

  override computeMask(): tf.Tensor {
    return tf.tensor2d([1, 0, 0, 0, 1, 0, 0, 0], [2, 4], 'bool');
  }

  override computeOutputShape<Shape>(shape: Shape): Shape {
    return shape;
  }
}

test('a custom layer can make masks', async () => {
  const [first, second] = [layers.simpleRNN({ units: 2 }), layers.simpleRNN({ units: 2 })];
  const [a, b] = [input('a'), input('b')];
  const outputs = [first.apply(new OnlyFirst({}).apply(a)), second.apply(b)] as Symbolic[];
  const model = fixWeights(tfl.model({ inputs: [a, b], outputs }));
  const actual = await predict(model, [padded, full]);
  expectClose(actual[0]!, chain(tf.slice(padded, [0, 0, 0], [2, 1, 2]), first));
  expectClose(actual[1]!, chain(full, second));
});

/** Two sequences of 4 steps: of the first the last two are zero in one sample, of the second the last in each. */
const shorter = tf.tensor3d([...rows(1, 6, 5).flat(), 0, 0, ...rows(1, 6, 6).flat(), 0, 0], [2, 4, 2]);
const MASKS = {
  padded: [1, 1, 1, 1, 1, 1, 0, 0],
  shorter: [1, 1, 1, 0, 1, 1, 1, 0],
  either: [1, 1, 1, 1, 1, 1, 1, 0],
};

/** The mask of what a layer makes of two sequences, either of which may be masked. */
function maskAfter(merge: tfl.layers.Layer, masked: readonly boolean[]): number[] | undefined {
  const inputs = [input('a'), input('b')];
  const starts = inputs.map((each, i) => (masked[i] ? (layers.masking().apply(each) as Symbolic) : each));
  const model = tfl.model({ inputs, outputs: merge.apply(starts) as Symbolic });
  let mask: number[] | undefined;
  tf.tidy(() =>
    correctLayers(model)(
      true,
      () => model.apply([padded, shorter], { training: true }) as tf.Tensor,
      ([given]) => {
        mask = given && valuesOf(given);
      },
    ),
  );
  return mask;
}

test.each([
  ['add', () => layers.add()],
  ['average', () => layers.average()],
  ['multiply', () => layers.multiply()],
  ['maximum', () => layers.maximum()],
  ['minimum', () => layers.minimum()],
  ['concatenate of features', () => layers.concatenate()],
])('%s counts a step that counts in one of its inputs, as in Keras', (_name, merge) => {
  expect(maskAfter(merge(), [true, true])).toEqual(MASKS.either);
  const isJoined = merge().getClassName() === 'Concatenate';
  for (const masked of [
    [true, false],
    [false, true],
  ])
    expect(maskAfter(merge(), masked)).toEqual(isJoined ? new Array(8).fill(1) : undefined);
  expect(maskAfter(merge(), [false, false])).toBeUndefined();
});

test('sequences that follow one another keep their masks; stock tfjs fails on them', () => {
  const [a, b] = [MASKS.padded, MASKS.shorter];
  const joined = [...a.slice(0, 4), ...b.slice(0, 4), ...a.slice(4), ...b.slice(4)];
  expect(maskAfter(layers.concatenate({ axis: 1 }), [true, true])).toEqual(joined);
  const half = [...a.slice(0, 4), 1, 1, 1, 1, ...a.slice(4), 1, 1, 1, 1];
  expect(maskAfter(layers.concatenate({ axis: 1 }), [true, false])).toEqual(half);
});

test('a masked step of a product leaves the other factor as it is, as in Keras', async () => {
  const [a, b] = [input('a'), input('b')];
  const factors = [a, b].map((each) => layers.masking().apply(each) as Symbolic);
  const model = tfl.model({ inputs: [a, b], outputs: layers.multiply().apply(factors) as Symbolic });
  const [x, y] = [valuesOf(padded), valuesOf(shorter)];
  const counts = (mask: readonly number[], i: number) => mask[Math.floor(i / 2)] === 1;
  const expected = x.map((value, i) => {
    if (!counts(MASKS.either, i)) return 0;
    return (counts(MASKS.padded, i) ? value : 1) * (counts(MASKS.shorter, i) ? y[i]! : 1);
  });
  expectClose((await predict(model, [padded, shorter]))[0]!, expected);
});

test('the dot product of sequences has no mask', () => {
  expect(maskAfter(layers.dot({ axes: 2 }), [true, true])).toBeUndefined();
});

test('the mean over a sequence leaves masked steps out; stock tfjs counts them', async () => {
  const pool = layers.globalAveragePooling1d({});
  const start = input('a');
  const model = tfl.model({ inputs: start, outputs: pool.apply(layers.masking().apply(start)) as Symbolic });
  const values = valuesOf(padded);
  const mean = (sample: number, steps: number, feature: number) =>
    Array.from({ length: steps }, (_, step) => values[sample * 8 + step * 2 + feature]!).reduce(
      (a, b) => a + b,
    ) / steps;
  const expected = [mean(0, 4, 0), mean(0, 4, 1), mean(1, 2, 0), mean(1, 2, 1)];
  expectClose((await predict(model, [padded]))[0]!, expected);
  const stock = tf.tidy(() => valuesOf(model.predict(padded) as tf.Tensor));
  expect(stock[2]).toBeCloseTo(mean(1, 2, 0) / 2, 5);
});

test('a masked model leaves no tensor behind', async () => {
  const { model } = branches();
  const batch = { xs: [padded, full], ys: [tf.zeros([2, 2]), tf.zeros([2, 2])] };
  await trainingStep(model, batch);
  const before = tf.memory().numTensors;
  for (let step = 0; step < 5; step++) {
    await trainingStep(model, batch);
    tf.dispose(await predictTensors(model, batch.xs));
  }
  expect(tf.memory().numTensors).toBe(before);
});
