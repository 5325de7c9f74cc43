import { fixWeights, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { dataLoss, expectTrueGradients, stockLoss, trainingStep, valuesOf } from './training-step.js';

const l2 = () => tfl.regularizers.l2({ l2: 0.5 });
const batch = { xs: tf.tensor2d(rows(4, 2)), ys: tf.tensor2d(rows(4, 2, 5)) };

/** A layer that is used three times in a row. */
function thrice(): tfl.LayersModel {
  const shared = tfl.layers.dense({ units: 2, activation: 'tanh', kernelRegularizer: l2() });
  const input = tfl.input({ shape: [2] });
  const use = (x: tfl.SymbolicTensor) => shared.apply(x) as tfl.SymbolicTensor;
  return fixWeights(tfl.model({ inputs: input, outputs: use(use(use(input))) }));
}

/** A Sequential that takes over the layers of a model. */
function modelFirst(): tfl.Sequential {
  const first = tfl.sequential({
    layers: [tfl.layers.dense({ units: 2, inputShape: [2], kernelRegularizer: l2() })],
  });
  return fixWeights(tfl.sequential({ layers: [first, tfl.layers.dense({ units: 2 })] }));
}

/** Half the sum of squares of the first weight, a kernel. */
function penaltyOf(model: tfl.LayersModel): number {
  return valuesOf(model.weights[0]!.read()).reduce((sum, value) => sum + 0.5 * value * value, 0);
}

test('stock tfjs counts the regulariser of a layer as often as the layer is used', async () => {
  const model = thrice();
  expect((await stockLoss(model, batch)) - dataLoss(model, batch)).toBeCloseTo(3 * penaltyOf(model), 4);
});

test('the regulariser of a layer counts once, however often the layer is used', async () => {
  const model = thrice();
  const { loss } = await expectTrueGradients(model, batch);
  expect(loss - dataLoss(model, batch)).toBeCloseTo(penaltyOf(model), 5);
});

test('stock tfjs finds no regulariser in a Sequential whose first layer is a model', () => {
  const model = modelFirst();
  expect(penaltyOf(model)).toBeGreaterThan(0.1);
  expect(model.calculateLosses()).toEqual([]);
});

test('the regularisers count in a Sequential whose first layer is a model', async () => {
  const model = modelFirst();
  const { loss } = await trainingStep(model, batch);
  expect(loss - dataLoss(model, batch)).toBeCloseTo(penaltyOf(model), 5);
});

/** Computes its losses itself: a constant, and those of the layer inside it. */
class Accountant extends tfl.layers.Layer {
  static className = 'Accountant';
  readonly inner = tfl.layers.dense({ units: 2, kernelRegularizer: l2(), kernelInitializer: 'ones' });

  override build(shape: tfl.SymbolicTensor['shape']): void {
    this.inner.build(shape);
    super.build(shape);
  }

  override call(inputs: tf.Tensor | tf.Tensor[]): tf.Tensor | tf.Tensor[] {
    return this.inner.call(inputs, {});
  }

  override calculateLosses(): tf.Scalar[] {
    return [...(this.inner.calculateLosses() as tf.Scalar[]), tf.scalar(7)];
  }
}

test('a custom layer that computes its losses itself is trusted', async () => {
  const model = tfl.sequential({
    layers: [
      tfl.layers.dense({ units: 2, inputShape: [2] }),
      new Accountant({}),
      tfl.layers.dense({ units: 2 }),
    ],
  });
  const { loss } = await trainingStep(model, batch);
  // Four ones, halved, and seven.
  expect(loss - dataLoss(model, batch)).toBeCloseTo(9, 4);
});
