export { type ActivationsHook, activations } from './activations.js';
export type { CapturedState, CapturedTensors, Sighting, TensorSummary } from './capture/captured-state.js';
export type { ActivationsOptions, ActivationsStage } from './options.js';
export type { DebugConditions, DebugFinding } from './taps/debug-check.js';
export type {
  CaptureHookOptions,
  DebugHookOptions,
  InterventionHookOptions,
  LayerChoice,
  MonitoringHookOptions,
  TapManagerOptions,
} from './taps/manager-options.js';
export type { LayerMetrics, MonitoringMetric } from './taps/monitor.js';
export { type TapHookInfo, type TapHookKind, TapManager } from './taps/tap-manager.js';
export { type AblateOptions, type Ablation, ablate } from './verbs/ablate.js';
export { type AblationTableOptions, ablationTable } from './verbs/ablation-table.js';
export { ActivationCache } from './verbs/activation-cache.js';
export { type Effect, EffectTable, type Metric } from './verbs/effect-table.js';
export type { Part, Slice } from './verbs/part-of.js';
export { type PatchOptions, patch } from './verbs/patch.js';
export { type PatchingOptions, patchingTable } from './verbs/patching-table.js';
export { type RunOptions, run } from './verbs/run.js';
export { type CachedRun, type CacheOptions, runWithCache } from './verbs/run-with-cache.js';
export { type SteerOptions, steer } from './verbs/steer.js';
export { type StopOptions, stopAt } from './verbs/stop-at.js';
