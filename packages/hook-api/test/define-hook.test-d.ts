import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import { describe, expectTypeOf, test } from 'vitest';
import {
  after,
  type Batch,
  type BatchEndEvent,
  defineHook,
  every,
  type Gradients,
  type Hook,
  type HookContext,
  type HookEvents,
  type HookFactory,
  type HookHandler,
  HookManager,
  type HookState,
  type LoadedHookState,
  type Metrics,
  once,
  sample,
  type TensorTree,
  TrainerHook,
  when,
} from '../src/index.js';

describe('defineHook', () => {
  test('knows ctx and event in every form of method', () => {
    defineHook({
      name: 'forms',
      onTrainBatchEnd(ctx, event) {
        expectTypeOf(ctx).toEqualTypeOf<HookContext>();
        expectTypeOf(event).toEqualTypeOf<BatchEndEvent>();
      },
      onEpochEnd: (ctx, event) => {
        expectTypeOf(ctx).toEqualTypeOf<HookContext>();
        expectTypeOf(event.metrics).toEqualTypeOf<Metrics>();
      },
      async onLog(_ctx, { scope }) {
        expectTypeOf(scope).toEqualTypeOf<'step' | 'epoch'>();
      },
      onBeforeBackward: (_ctx, event) => {
        expectTypeOf(event.loss).toEqualTypeOf<Scalar>();
      },
    });
  });

  test('knows them inside every filter, and inside nested ones', () => {
    defineHook({
      name: 'filtered',
      onTrainBatchEnd: every({ steps: 10 }, (ctx, event) => {
        expectTypeOf(ctx).toEqualTypeOf<HookContext>();
        expectTypeOf(event).toEqualTypeOf<BatchEndEvent>();
      }),
      onStepEnd: when(
        (ctx) => {
          expectTypeOf(ctx).toEqualTypeOf<HookContext>();
          return ctx.state.step > 3;
        },
        (_ctx, event) => void expectTypeOf(event).toEqualTypeOf<HookEvents['onStepEnd']>(),
      ),
      onEpochEnd: once((_ctx, event) => void expectTypeOf(event).toEqualTypeOf<HookEvents['onEpochEnd']>()),
      onLog: after({ epochs: 1 }, async (_ctx, event) => {
        expectTypeOf(event).toEqualTypeOf<HookEvents['onLog']>();
      }),
      onAfterBackward: sample(0.1, (_ctx, event) => {
        expectTypeOf(event.gradients).toEqualTypeOf<Gradients>();
      }),
      transformBatch: every({ seconds: 5 }, (_ctx, { batch }) => {
        expectTypeOf(batch).toEqualTypeOf<Batch>();
        return batch;
      }),
      onValidationEnd: when(
        () => true,
        after(
          { epochs: 1 },
          every({ epochs: 2 }, (ctx, event) => {
            expectTypeOf(ctx).toEqualTypeOf<HookContext>();
            expectTypeOf(event).toEqualTypeOf<HookEvents['onValidationEnd']>();
          }),
        ),
      ),
    });
  });

  test('lets methods use the fields and helpers of the hook through `this`', () => {
    const hook = defineHook({
      name: 'counter',
      count: 0,
      losses: [] as number[],
      onTrainBatchEnd(_ctx, event) {
        this.count += 1;
        if (event.skipped) return;
        this.losses.push(event.loss);
        expectTypeOf(this.mean()).toEqualTypeOf<number>();
      },
      mean(): number {
        return this.losses.reduce((sum, loss) => sum + loss, 0) / this.losses.length;
      },
      saveState(): HookState {
        return { count: this.count };
      },
      loadState(state) {
        expectTypeOf(state).toEqualTypeOf<LoadedHookState>();
        this.count = 0;
      },
    });
    expectTypeOf(hook.count).toEqualTypeOf<number>();
    expectTypeOf(hook.mean()).toEqualTypeOf<number>();
    expectTypeOf(hook).toExtend<Hook>();
  });

  test('refuses a method that looks like an event but is none, wrapped or not', () => {
    defineHook({
      name: 'typo',
      // @ts-expect-error There is no such event.
      onTrainBatchEn() {},
    });
    defineHook({
      name: 'typo',
      // @ts-expect-error There is no such event.
      transformGradient: (_ctx: HookContext) => undefined,
    });
    defineHook({
      name: 'typo',
      // @ts-expect-error There is no such event.
      onStepEnds: every({ steps: 1 }, (_ctx: HookContext) => {}),
    });
    defineHook({
      name: 'right beside it',
      onEpochEnd(_ctx, event) {
        expectTypeOf(event).toEqualTypeOf<HookEvents['onEpochEnd']>();
      },
      // @ts-expect-error There is no such event.
      onEpochend() {},
    });
  });

  test('takes helpers whose names only resemble events', () => {
    defineHook({ name: 'helpers', once() {}, only: 1, online: true, transformed: 2, reset() {} });
    defineHook({ name: 'policy', onError: 'fail' });
    // @ts-expect-error There are two policies.
    defineHook({ name: 'policy', onError: 'ignore' });
    // @ts-expect-error A hook has a name.
    defineHook({ onStepEnd() {} });
  });

  test('refuses a method inside the tape that is async', () => {
    defineHook({
      name: 'async',
      // @ts-expect-error This event runs inside the gradient tape and cannot wait.
      async onForward() {},
    });
    defineHook({
      name: 'async',
      // @ts-expect-error This event runs inside the gradient tape and cannot wait.
      onBeforeBackward: () => Promise.resolve(),
    });
    defineHook({
      name: 'async',
      // @ts-expect-error An activation is a tensor, not the promise of one.
      transformActivation: async (_ctx, { output }) => output,
    });
    defineHook({
      name: 'async',
      // @ts-expect-error A loss is a scalar, not the promise of one.
      transformLoss: async (_ctx, { loss }) => loss,
    });
    defineHook({ name: 'sync', onForward() {}, transformActivation: (_ctx, { output }) => output });
  });

  test('gives a hook that a manager and a factory take', () => {
    const hook = defineHook({ name: 'a', onStepEnd() {} });
    new HookManager().add(hook);
    const factory: HookFactory<{ rate?: number }> = (options) => {
      expectTypeOf(options).toEqualTypeOf<{ rate?: number } | undefined>();
      return hook;
    };
    expectTypeOf(factory).toBeFunction();
  });
});

describe('TypeScript itself', () => {
  test('takes an async method for one that returns void, so that only defineHook and the manager see it', () => {
    const hook: Hook = { name: 'async', async onForward() {} };
    expectTypeOf(hook).toEqualTypeOf<Hook>();
  });

  test('refuses a mistyped method in a literal that is declared as a Hook', () => {
    // @ts-expect-error Unknown members of a literal are errors.
    const hook: Hook = { name: 'typo', onTrainBatchEn() {} };
    expectTypeOf(hook).toEqualTypeOf<Hook>();
  });
});

describe('a class that extends TrainerHook', () => {
  class Mine extends TrainerHook {
    readonly name = 'mine';
    losses: number[] = [];
    override onTrainBatchEnd(_ctx: HookContext, event: HookEvents['onTrainBatchEnd']): void {
      if (!event.skipped) this.losses.push(event.loss);
    }
    override onStepEnd: HookHandler<'onStepEnd'> = every({ steps: 10 }, (ctx, event) => {
      expectTypeOf(event).toEqualTypeOf<HookEvents['onStepEnd']>();
      ctx.log({ 'mine/count': this.losses.length });
    });
  }

  test('is a hook', () => {
    expectTypeOf<Mine>().toExtend<Hook>();
    new HookManager().add(new Mine());
  });

  test('needs a name', () => {
    // @ts-expect-error The name is abstract.
    class Nameless extends TrainerHook {}
    expectTypeOf<Nameless>().toExtend<Hook>();
  });

  test('is held to the payloads and results of its methods', () => {
    class Wrong extends TrainerHook {
      readonly name = 'wrong';
      // @ts-expect-error The payload is that of another event.
      override onLog(_ctx: HookContext, _event: HookEvents['onStepEnd']): void {}
      // @ts-expect-error A batch is expected.
      override transformBatch(): number {
        return 1;
      }
    }
    expectTypeOf<Wrong>().toHaveProperty('name');
  });
});

describe('transforms', () => {
  test('return a replacement of the right kind, or undefined', () => {
    defineHook({
      name: 'right',
      transformBatch: async (_ctx, { batch }) => ({ ...batch, xs: batch.xs }),
      transformActivation: (_ctx, { output }) => output,
      transformLoss: (_ctx, { loss, outputs }) => {
        expectTypeOf(outputs).toEqualTypeOf<TensorTree>();
        return loss;
      },
      transformGradients: (_ctx, { gradients }) => gradients,
    });
    // @ts-expect-error A loss is a tensor, so that gradients flow through it.
    defineHook({ name: 'wrong', transformLoss: () => 0.5 });
    defineHook({
      name: 'identity',
      transformBatch: () => undefined,
      transformGradients: async () => undefined,
    });
    // @ts-expect-error Gradients go by path.
    defineHook({ name: 'wrong', transformGradients: (_ctx, { gradients }) => Object.values(gradients) });
    // @ts-expect-error A batch is more than its inputs.
    defineHook({ name: 'wrong', transformBatch: (_ctx, { batch }) => batch.xs as Tensor });
    // @ts-expect-error An activation is one tensor.
    defineHook({ name: 'wrong', transformActivation: (_ctx, { inputs }) => [...inputs] });
  });

  test('of the manager are synchronous inside the tape, and may be promises elsewhere', () => {
    const manager = new HookManager();
    const event = {} as HookEvents['transformActivation'];
    expectTypeOf(
      manager.transform('transformActivation', event, (before, output) => ({ ...before, output })),
    ).toEqualTypeOf<HookEvents['transformActivation']>();
    const batch = {} as HookEvents['transformBatch'];
    expectTypeOf(
      manager.transform('transformBatch', batch, (before, next) => ({ ...before, batch: next })),
    ).toEqualTypeOf<HookEvents['transformBatch'] | Promise<HookEvents['transformBatch']>>();
  });
});
