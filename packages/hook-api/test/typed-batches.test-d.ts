import type { Scalar, Tensor, Tensor1D, Tensor2D } from '@tensorflow/tfjs-core';
import { describe, expectTypeOf, test } from 'vitest';
import { type Batch, type Hook, type HookContext, type HookEvents, TrainerHook } from '../src/index.js';

interface Images extends Batch {
  xs: Tensor2D;
  ys: Tensor1D;
}

describe('a hook that says what its batches are needs no cast', () => {
  test('as an object', () => {
    const hook: Hook<Images> = {
      name: 'mine',
      onTrainBatchStart(_ctx, { batch }) {
        expectTypeOf(batch.xs).toEqualTypeOf<Tensor2D>();
        expectTypeOf(batch.ys).toEqualTypeOf<Tensor1D>();
      },
      transformBatch: (_ctx, { batch }) => ({ ...batch, xs: batch.xs }),
      transformLoss(_ctx, { batch, loss }) {
        expectTypeOf(batch).toEqualTypeOf<Images>();
        expectTypeOf(loss).toEqualTypeOf<Scalar>();
        return undefined;
      },
    };
    expectTypeOf(hook.name).toBeString();
  });

  test('as a class', () => {
    class Mine extends TrainerHook<Images> {
      readonly name = 'mine';
      override onValidationBatchEnd(
        _ctx: HookContext,
        { batch }: HookEvents<Images>['onValidationBatchEnd'],
      ) {
        expectTypeOf(batch.xs).toEqualTypeOf<Tensor2D>();
      }
    }
    expectTypeOf<Mine>().toExtend<Hook>();
  });

  test('and is a hook like any other', () => {
    expectTypeOf<Hook<Images>>().toExtend<Hook>();
    expectTypeOf<HookEvents<Images>['onEpochEnd']>().toEqualTypeOf<HookEvents['onEpochEnd']>();
  });

  test('a replacement must be such a batch', () => {
    const hook: Hook<Images> = {
      name: 'mine',
      // @ts-expect-error: it has no ys.
      transformBatch: (_ctx, { batch }) => ({ xs: batch.xs }),
    };
    expectTypeOf(hook).toEqualTypeOf<Hook<Images>>();
  });
});

test('the outputs of ctx.forward can be named', () => {
  const outputs = (ctx: HookContext, xs: Tensor) => ctx.forward<Tensor2D>(xs);
  expectTypeOf(outputs).returns.toEqualTypeOf<Tensor2D>();
});
