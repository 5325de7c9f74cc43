export type { Batch, TensorTree } from './batch.js';
export type {
  HookContext,
  HookLogger,
  Metrics,
  RunInfo,
  RunStatus,
  Stage,
  TrainingState,
} from './context.js';
export { HookFatalError, HooklineError, isFatal } from './errors.js';
export type * from './events.js';
export { EVENTS } from './events.js';
export type { Cadence } from './filters/cadence.js';
export { every } from './filters/every.js';
export { after, once, when } from './filters/filters.js';
export type { HookFilter } from './filters/gated.js';
export { filterOf } from './filters/gated.js';
export { sample } from './filters/sample.js';
export type {
  Hook,
  HookFactory,
  HookHandler,
  HookNeed,
  LayerFilter,
  StandardSchema,
  StandardSchemaResult,
} from './hook.js';
export { defineHook, TrainerHook } from './hook.js';
export { hookFactory } from './hook-factory.js';
export type { AddHookOptions, HookCost, HookFailure, HookInfo, HookSource } from './hook-info.js';
export type { HookKind } from './hook-kind.js';
export { assertHook, kindsOf } from './inspect-hook.js';
export type { JsonValue } from './json.js';
export { HookManager } from './manager.js';
export type {
  ManifestHook,
  ManifestProblem,
  ManifestReport,
  TrainerHookEntry,
  TrainerHooksField,
  TrainerHooksManifest,
} from './manifest.js';
export { didYouMean, nearest } from './nearest.js';
export type { OptimizerGroupView, OptimizerView } from './optimizer-view.js';
export type { Bounds, OptionRule } from './option-rules.js';
export { is } from './option-rules.js';
export type { OptionRules, OptionsSchema } from './options.js';
export { defineOptions } from './options.js';
export type * from './options-by-name.js';
export { BUILT_IN_ORDER, orderHooks } from './order.js';
export type { PhaseMark, RunPhase } from './phase-mark.js';
export type { SavedHook } from './saved-hook.js';
export type { SavedCounters, SavedRunState } from './saved-run-state.js';
export type { SharedKey, SharedMap } from './shared.js';
export { sharedKey } from './shared.js';
export type {
  CheckpointProvider,
  CheckpointRef,
  HostTensor,
  RestoreReport,
  Snapshot,
  SnapshotOptions,
} from './snapshot.js';
export type {
  HookState,
  HookStateWithTensors,
  LoadedHookState,
  LoadedStateWithTensors,
} from './state.js';
export type {
  ForwardOptions,
  LogValues,
  LossContext,
  TrainableModule,
  TrainingStep,
} from './trainable-module.js';
