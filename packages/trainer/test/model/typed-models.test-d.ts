import type { TensorTree, TrainableModule } from '@hookline/hook-api';
import type * as tf from '@tensorflow/tfjs-core';
import type { LayersModel, Sequential } from '@tensorflow/tfjs-layers';
import { expectTypeOf, test } from 'vitest';
import { type Model, Trainer, type TrainerOptions } from '../../src/index.js';

type Rows = { xs: tf.Tensor2D; ys: tf.Tensor2D };

interface Line extends TrainableModule<Rows, { out: tf.Tensor2D }> {
  slope: tf.Variable;
}

declare const line: Line;
declare const loss: 'meanSquaredError';
declare const functional: LayersModel;
declare const options: TrainerOptions;

test('trainer.model() has the type of the model that was given, or that the function makes', async () => {
  expectTypeOf(await new Trainer({ model: line, loss }).model()).toEqualTypeOf<Line>();
  expectTypeOf(await new Trainer({ model: () => line, loss }).model()).toEqualTypeOf<Line>();
  expectTypeOf(await new Trainer({ model: async () => line, loss }).model()).toEqualTypeOf<Line>();
  expectTypeOf(await new Trainer({ model: () => functional, loss }).model()).toEqualTypeOf<LayersModel>();
  expectTypeOf(await new Trainer(options).model()).toEqualTypeOf<Model>();
  const trainer = new Trainer({
    model: () => line,
    loss,
    hooks: [{ name: 'mine', onEpochEnd: (ctx) => ctx.stop('x') }],
  });
  expectTypeOf((await trainer.model()).slope).toEqualTypeOf<tf.Variable>();
});

test('predict has the type of what the model returns', async () => {
  const data = { xs: [[1]] };
  expectTypeOf(await new Trainer({ model: line, loss }).predict({ data })).toEqualTypeOf<{
    out: tf.Tensor2D;
  }>();
  const sequential = new Trainer({ model: () => ({}) as Sequential, loss });
  expectTypeOf(await sequential.predict({ data })).toEqualTypeOf<tf.Tensor>();
  expectTypeOf(await new Trainer(options).predict({ data })).toEqualTypeOf<TensorTree>();
});

test('a trainer of any model is a Trainer', () => {
  expectTypeOf(new Trainer({ model: () => line, loss })).toExtend<Trainer>();
});

test('a module needs no casts', () => {
  const module: TrainableModule<Rows, tf.Tensor2D> = {
    forward: (xs) => {
      expectTypeOf(xs).toEqualTypeOf<tf.Tensor2D>();
      return xs;
    },
    loss: (outputs, { ys }, { inputs }) => {
      expectTypeOf([outputs, ys, inputs]).toEqualTypeOf<tf.Tensor2D[]>();
      return outputs as never;
    },
    trainingStep: ({ xs }, { update }) => update('adam', () => xs as never),
  };
  expectTypeOf(module).toExtend<TrainableModule>();
});
