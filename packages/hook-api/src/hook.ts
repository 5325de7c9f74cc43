import type { Batch } from './batch.js';
import type { HookContext } from './context.js';
import type { EventName, HookEvents, SyncEvent, TransformResults } from './events.js';
import type { HookKind } from './hook-kind.js';
import type { HookState, LoadedHookState } from './state.js';

type Awaitable<Value> = Value | Promise<Value>;

/** The function that handles an event: `(ctx, event) => ...`. */
export type HookHandler<Name extends EventName> = (
  ctx: HookContext,
  event: HookEvents[Name],
) => Name extends keyof TransformResults
  ? Name extends SyncEvent
    ? TransformResults[Name] | undefined
    : Awaitable<TransformResults[Name] | undefined>
  : Name extends SyncEvent
    ? void
    : Awaitable<void>;

/** Which layers a hook taps: a path, a glob, a pattern, a list of them, or a test. */
export type LayerFilter = string | RegExp | readonly (string | RegExp)[] | ((path: string) => boolean);

/**
 * What costs something and is therefore prepared only when a hook asks for it. `outputs`: `event.outputs` at the end
 * of training, validation and test batches. `phases`: what `ctx.phases()` returns.
 */
export type HookNeed = 'outputs' | 'phases';

/**
 * A hook: a name and any of the methods below. `on*` observe, `transform*` return a replacement or undefined.
 * `Hook<MyBatch>` knows the type of your batches, so that its methods need no casts.
 * A method that is not there is not called. Methods marked *sync* run inside the gradient tape and cannot await.
 */
export interface Hook<Data extends Batch = Batch> {
  readonly name: string;
  /** The layers for which `onForward` and `transformActivation` are called; all when absent. */
  layers?: LayerFilter | undefined;
  /** What the hook must be given in its events beyond what every hook gets. */
  needs?: readonly HookNeed[] | undefined;
  /**
   * What it does, where its methods do not show it: one that taps layers itself is of the kind `forward`, although it has
   * no `onForward`. Lists of hooks take it instead of what they would read off the methods.
   */
  kinds?: readonly HookKind[] | undefined;
  /**
   * `isolate` (default): an `on*` that throws is logged, and the hook is disabled after 3 failures in a row.
   * `fail`: any error of this hook ends the run.
   */
  onError?: 'isolate' | 'fail';
  /**
   * The seconds that a method of this hook may take, for one that has good reason to take long, such as a large upload;
   * `Infinity` if there is no limit. Default: the trainer's `hookTimeout`.
   */
  timeout?: number;
  /** Leaves something behind, such as files or messages: off in a `fastDevRun`. */
  writes?: boolean;
  /**
   * Where it runs when several processes train together: on the main rank only, or on `all` of them. By default `main`
   * for a hook that `writes` and transforms nothing, else `all`. A hook with `transform*` methods must run on all.
   */
  ranks?: 'main' | 'all';

  /** What a checkpoint must hold for this hook to continue as if it had never stopped. */
  saveState?(): HookState;
  loadState?(state: LoadedHookState): void;

  /** Once per fit, validate, test or predict. A hook that finished setup is always torn down. */
  setup?(ctx: HookContext, event: HookEvents<Data>['setup']): Awaitable<void>;
  /** Backend, model, data and hooks are ready. */
  onInit?(ctx: HookContext, event: HookEvents<Data>['onInit']): Awaitable<void>;
  onTrainStart?(ctx: HookContext, event: HookEvents<Data>['onTrainStart']): Awaitable<void>;
  onEpochStart?(ctx: HookContext, event: HookEvents<Data>['onEpochStart']): Awaitable<void>;
  /** Before the first batch of an optimizer step. */
  onStepStart?(ctx: HookContext, event: HookEvents<Data>['onStepStart']): Awaitable<void>;
  /** May `ctx.skipBatch()`. */
  onTrainBatchStart?(ctx: HookContext, event: HookEvents<Data>['onTrainBatchStart']): Awaitable<void>;
  /** Returns the batch to train on instead. */
  transformBatch?(
    ctx: HookContext,
    event: HookEvents<Data>['transformBatch'],
  ): Awaitable<HookEvents<Data>['transformBatch']['batch'] | undefined>;
  /** The batch as it will be used, before it is checked and enters the model. */
  onTrainBatchReady?(ctx: HookContext, event: HookEvents<Data>['onTrainBatchReady']): Awaitable<void>;
  /** *sync*. A tapped layer computed its output; look, do not touch. */
  onForward?(ctx: HookContext, event: HookEvents<Data>['onForward']): void;
  /** *sync*. Returns a tensor to use instead of a tapped layer's output; gradients flow through it. */
  transformActivation?(
    ctx: HookContext,
    event: HookEvents<Data>['transformActivation'],
  ): TransformResults['transformActivation'] | undefined;
  /** *sync*. Returns the loss to minimise instead; gradients flow through it. Each hook's result feeds the next. */
  transformLoss?(
    ctx: HookContext,
    event: HookEvents<Data>['transformLoss'],
  ): TransformResults['transformLoss'] | undefined;
  /** *sync*. The loss is known, its gradients are not. */
  onBeforeBackward?(ctx: HookContext, event: HookEvents<Data>['onBeforeBackward']): void;
  /** This batch's gradients, before accumulation. */
  onAfterBackward?(ctx: HookContext, event: HookEvents<Data>['onAfterBackward']): Awaitable<void>;
  /**
   * Once per step: returns gradients by path; paths left out keep theirs, and `null` leaves a parameter as it is. Each
   * hook's result feeds the next.
   */
  transformGradients?(
    ctx: HookContext,
    event: HookEvents<Data>['transformGradients'],
  ): Awaitable<TransformResults['transformGradients'] | undefined>;
  /** Only when clipping is on. */
  onGradientClip?(ctx: HookContext, event: HookEvents<Data>['onGradientClip']): Awaitable<void>;
  /** Once per step: the gradients as they will be applied, and as they were before clipping. */
  onGradientsReady?(ctx: HookContext, event: HookEvents<Data>['onGradientsReady']): Awaitable<void>;
  /** Per optimizer. May `ctx.skipStep()`. */
  onBeforeOptimizerStep?(ctx: HookContext, event: HookEvents<Data>['onBeforeOptimizerStep']): Awaitable<void>;
  /** Per optimizer. */
  onAfterOptimizerStep?(ctx: HookContext, event: HookEvents<Data>['onAfterOptimizerStep']): Awaitable<void>;
  onStepEnd?(ctx: HookContext, event: HookEvents<Data>['onStepEnd']): Awaitable<void>;
  onTrainBatchEnd?(ctx: HookContext, event: HookEvents<Data>['onTrainBatchEnd']): Awaitable<void>;
  onValidationStart?(ctx: HookContext, event: HookEvents<Data>['onValidationStart']): Awaitable<void>;
  onValidationBatchStart?(
    ctx: HookContext,
    event: HookEvents<Data>['onValidationBatchStart'],
  ): Awaitable<void>;
  onValidationBatchEnd?(ctx: HookContext, event: HookEvents<Data>['onValidationBatchEnd']): Awaitable<void>;
  onValidationEnd?(ctx: HookContext, event: HookEvents<Data>['onValidationEnd']): Awaitable<void>;
  /** After validation: `event.metrics` holds `train/*` and `val/*` of this epoch. */
  onEpochEnd?(ctx: HookContext, event: HookEvents<Data>['onEpochEnd']): Awaitable<void>;
  onTrainEnd?(ctx: HookContext, event: HookEvents<Data>['onTrainEnd']): Awaitable<void>;
  /** In reverse order, always, also after a failure. */
  teardown?(ctx: HookContext, event: HookEvents<Data>['teardown']): Awaitable<void>;
  /** The values logged since the last boundary. */
  onLog?(ctx: HookContext, event: HookEvents<Data>['onLog']): Awaitable<void>;
  onBeforeCheckpointSave?(
    ctx: HookContext,
    event: HookEvents<Data>['onBeforeCheckpointSave'],
  ): Awaitable<void>;
  onCheckpointSave?(ctx: HookContext, event: HookEvents<Data>['onCheckpointSave']): Awaitable<void>;
  onCheckpointLoad?(ctx: HookContext, event: HookEvents<Data>['onCheckpointLoad']): Awaitable<void>;
  /** The run failed with this error; teardown follows. */
  onException?(ctx: HookContext, event: HookEvents<Data>['onException']): Awaitable<void>;
  onTestStart?(ctx: HookContext, event: HookEvents<Data>['onTestStart']): Awaitable<void>;
  onTestBatchStart?(ctx: HookContext, event: HookEvents<Data>['onTestBatchStart']): Awaitable<void>;
  onTestBatchEnd?(ctx: HookContext, event: HookEvents<Data>['onTestBatchEnd']): Awaitable<void>;
  onTestEnd?(ctx: HookContext, event: HookEvents<Data>['onTestEnd']): Awaitable<void>;
  onPredictStart?(ctx: HookContext, event: HookEvents<Data>['onPredictStart']): Awaitable<void>;
  onPredictBatchStart?(ctx: HookContext, event: HookEvents<Data>['onPredictBatchStart']): Awaitable<void>;
  onPredictBatchEnd?(ctx: HookContext, event: HookEvents<Data>['onPredictBatchEnd']): Awaitable<void>;
  onPredictEnd?(ctx: HookContext, event: HookEvents<Data>['onPredictEnd']): Awaitable<void>;
}

/**
 * Returns the hook as it is; `ctx` and `event` get their types, and extra fields and methods stay usable through
 * `this`. A `saveState` that uses them needs its return type written: `saveState(): HookState`.
 */
export function defineHook<Definition extends Hook>(
  hook: Definition & ThisType<Definition> & HookMistakes<Definition>,
  // Without NoInfer the place where a hook is passed would take part in guessing its type: a list of hooks is too much.
): NoInfer<Definition> {
  return hook;
}

/**
 * The members of a definition that cannot work, each with a type that no value has: the compiler then shows it as
 * the reason. On its own, TypeScript takes a mistyped name for a helper, and an async method for one that returns
 * void.
 */
type HookMistakes<Definition> = {
  [Name in keyof Definition as UnknownEvent<Name>]: 'There is no such event.';
} & {
  [Name in keyof Definition as AsyncInTape<
    Name,
    Definition[Name]
  >]: 'This event runs inside the gradient tape and cannot wait.';
};

// The names are rebuilt as `${Name}`: with Name itself the compiler would take the reasons for the expected types of
// all members, and lose those of `ctx` and `event`.
type UnknownEvent<Name> = Name extends EventName | 'onError'
  ? never
  : Name extends `${'on' | 'transform'}${Capitalize<string>}`
    ? `${Name}`
    : never;

type AsyncInTape<Name, Method> = Name extends SyncEvent
  ? Method extends (...args: never[]) => PromiseLike<unknown>
    ? `${Name}`
    : never
  : never;

/** What a hook package exports: a function that takes options and returns one hook or several. */
export interface HookFactory<Options = never> {
  (options?: Options): Hook | Hook[];
  /** A Standard Schema that checks the options before the factory sees them. */
  options?: StandardSchema;
}

/** The part of the Standard Schema interface that is used here; zod, valibot and arktype schemas have it. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): Awaitable<StandardSchemaResult>;
  };
}

export type StandardSchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A base for hooks written as classes. It has no empty methods: those that a subclass does not write are not called. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: all members of the interface are optional but the name.
// biome-ignore lint/correctness/noUnusedVariables: both declarations must have the same type parameters.
export abstract class TrainerHook<Data extends Batch = Batch> {
  abstract readonly name: string;
}
export interface TrainerHook<Data extends Batch = Batch> extends Hook<Data> {}
