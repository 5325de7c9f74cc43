import { describe, expectTypeOf, test } from 'vitest';
import {
  type Batch,
  type BatchEndEvent,
  defineHook,
  type EVENTS,
  type EventName,
  type EventOfKind,
  type Gradients,
  type Hook,
  type HookContext,
  type HookEvents,
  type HookHandler,
  HookManager,
  type JsonValue,
  type OptimizerGroupView,
  type PhaseMark,
  type RunPhase,
  type SavedRunState,
  type SharedMap,
  type Snapshot,
  type SyncEvent,
  sharedKey,
  type TensorTree,
  type TransformResults,
} from '../src/index.js';

/** Members of a hook that are not events. */
type OtherMember =
  | 'name'
  | 'layers'
  | 'needs'
  | 'kinds'
  | 'onError'
  | 'ranks'
  | 'timeout'
  | 'writes'
  | 'saveState'
  | 'loadState';

describe('the event table, the payload types and the Hook interface', () => {
  test('name the same events', () => {
    expectTypeOf<keyof typeof EVENTS>().toEqualTypeOf<EventName>();
    expectTypeOf<keyof HookEvents>().toEqualTypeOf<EventName>();
    expectTypeOf<Exclude<keyof Hook, OtherMember>>().toEqualTypeOf<EventName>();
    expectTypeOf<Extract<keyof Hook, OtherMember>>().toEqualTypeOf<OtherMember>();
  });

  test('agree on the payload and on what each method may return', () => {
    type Methods = Required<Pick<Hook, EventName>>;
    type Handlers = { [Name in EventName]: HookHandler<Name> };
    expectTypeOf<{ [Name in EventName]: Parameters<Methods[Name]> }>().toEqualTypeOf<{
      [Name in EventName]: [ctx: HookContext, event: HookEvents[Name]];
    }>();
    expectTypeOf<{ [Name in EventName]: ReturnType<Methods[Name]> }>().toEqualTypeOf<{
      [Name in EventName]: ReturnType<Handlers[Name]>;
    }>();
  });

  test('agree on the kinds', () => {
    expectTypeOf<EventOfKind<'lifecycle'>>().toEqualTypeOf<'setup' | 'teardown'>();
    expectTypeOf<EventOfKind<'transform'>>().toEqualTypeOf<Extract<EventName, `transform${string}`>>();
    expectTypeOf<EventOfKind<'observe'>>().toEqualTypeOf<Extract<EventName, `on${string}`>>();
    expectTypeOf<EventOfKind<'transform'>>().toEqualTypeOf<keyof TransformResults>();
    expectTypeOf<SyncEvent>().toEqualTypeOf<
      'onForward' | 'transformActivation' | 'transformLoss' | 'onBeforeBackward'
    >();
  });
});

describe('payloads', () => {
  test('have a loss once it is known that the batch was not skipped', () => {
    const event = {} as BatchEndEvent;
    expectTypeOf(event.loss).toEqualTypeOf<number | undefined>();
    if (event.skipped) {
      expectTypeOf(event.loss).toEqualTypeOf<undefined>();
      return;
    }
    expectTypeOf(event.loss).toEqualTypeOf<number>();
  });

  test('have outputs at the end of a batch; phases are asked for anywhere', () => {
    defineHook({
      name: 'judge',
      needs: ['outputs', 'phases'],
      onTrainBatchEnd(_ctx, { outputs }) {
        expectTypeOf(outputs).toEqualTypeOf<TensorTree | undefined>();
      },
      onValidationBatchEnd(_ctx, event) {
        expectTypeOf(event.outputs).toEqualTypeOf<TensorTree | undefined>();
      },
      onTestBatchEnd: (_ctx, { outputs }) => {
        expectTypeOf(outputs).toEqualTypeOf<TensorTree | undefined>();
      },
      onStepStart(ctx) {
        expectTypeOf(ctx.phases()).toEqualTypeOf<readonly PhaseMark[]>();
        for (const { phase, start, end, hook } of ctx.phases()) {
          expectTypeOf(phase).toEqualTypeOf<RunPhase>();
          expectTypeOf(end - start).toEqualTypeOf<number>();
          expectTypeOf(hook).toEqualTypeOf<string | undefined>();
        }
      },
    });
    // @ts-expect-error There is no such need.
    defineHook({ name: 'typo', needs: ['output'] });
  });

  test('show gradients before and after clipping, and the batch that is used', () => {
    defineHook({
      name: 'watcher',
      async onTrainBatchReady(_ctx, { batch }) {
        expectTypeOf(batch).toEqualTypeOf<Batch>();
      },
      onGradientsReady(_ctx, { step, gradients, unclipped }) {
        expectTypeOf(step).toEqualTypeOf<number>();
        expectTypeOf(gradients).toEqualTypeOf<Gradients>();
        expectTypeOf(unclipped).toEqualTypeOf<Gradients>();
      },
    });
  });

  test('of a batch end fit a handler that was written for batches of any stage', () => {
    const note = (_ctx: HookContext, _event: BatchEndEvent): void => {};
    defineHook({ name: 'any', onTrainBatchEnd: note, onValidationBatchEnd: note, onTestBatchEnd: note });
  });

  test('are checked where the manager is called', () => {
    const manager = new HookManager();
    manager.call('onEpochEnd', { epoch: 0, metrics: {} });
    // @ts-expect-error The metrics are missing.
    manager.call('onEpochEnd', { epoch: 0 });
    // @ts-expect-error setup is not an event to call.
    manager.call('setup', { stage: 'fit' });
  });
});

describe('a snapshot', () => {
  test('says where the run was, without a cast', () => {
    const { state } = {} as Snapshot;
    expectTypeOf(state).toEqualTypeOf<SavedRunState | undefined>();
    expectTypeOf(state?.counters.step).toEqualTypeOf<number | undefined>();
    expectTypeOf(state?.metrics).toEqualTypeOf<JsonValue | undefined>();
  });
});

describe('the context', () => {
  const ctx = {} as HookContext;

  test('lets hooks write the optimizer view, and nothing else of the state', () => {
    const group = {} as OptimizerGroupView;
    group.lr = 0.1;
    group.lrScale = 0.5;
    for (const { groups } of ctx.state.optimizers) for (const each of groups) each.lrScale *= 0.5;
    // @ts-expect-error read-only
    ctx.state.step = 1;
    // @ts-expect-error read-only
    ctx.state = {};
    // @ts-expect-error read-only
    ctx.state.optimizers = [];
    // @ts-expect-error read-only
    ctx.state.optimizers.push();
    // @ts-expect-error read-only
    ctx.metrics['train/loss'] = 1;
    // @ts-expect-error read-only
    group.name = 'other';
  });

  test('hands on shared values with the type of their key', () => {
    class Animal {
      legs = 4;
    }
    class Dog extends Animal {
      bark(): void {}
    }
    const dog = sharedKey<Dog>('dog');
    const shared = {} as SharedMap;
    expectTypeOf(shared.get(dog)).toEqualTypeOf<Dog | undefined>();
    shared.set(dog, new Dog());
    // @ts-expect-error Not every animal barks.
    shared.set(dog, new Animal());
    // @ts-expect-error Not there is not a dog.
    ctx.shared.set(dog, undefined);
  });
});
