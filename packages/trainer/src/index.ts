export { type BackendChoice, type BackendName, selectBackend } from './backends/select-backend.js';
export { callbackHook, type TfjsCallback } from './callback-hook.js';
export type { Collate, Sample, SampleValues } from './data/collate.js';
export type { Column, NumberArray } from './data/columns.js';
export { type CombinedData, combine } from './data/combine.js';
export { type CsvOptions, type CsvSource, csv } from './data/csv.js';
export { DataLoader, type DataLoaderOptions } from './data/data-loader.js';
export type { Dataset } from './data/dataset.js';
export type { FeedState } from './data/feed-state.js';
export type { IndexedSamples } from './data/indexed-loader.js';
export type { Loader } from './data/loader.js';
export type { MixOptions, MixStrategy } from './data/mix.js';
export type { Data, Source } from './data/sources.js';
export type { Stream, StreamSource } from './data/stream.js';
export type { BatchStream } from './data/stream-loader.js';
export type { Columns, ColumnsByName, Table } from './data/table.js';
export { discoverHooks } from './discovery/discover-hooks.js';
export type { FitResult } from './fit-result.js';
export { getTrainer } from './get-trainer.js';
export { createLogger } from './logger.js';
export type { LossFunction, LossName } from './losses/losses.js';
export type { LossOption, LossSettings } from './losses/output-losses.js';
export type { ClassWeights } from './losses/target-settings.js';
export type { LrFindOptions, LrFindResult } from './lr-find/lr-find.js';
export { accuracy, auc, f1, precision, recall, topKAccuracy } from './metrics/class-metrics.js';
export { meanMetric } from './metrics/mean-metric.js';
export type { Metric, MetricFunction, MetricName } from './metrics/metrics.js';
export type { MetricOption, MetricsOption } from './metrics/output-metrics.js';
export type { Model, ModelOption } from './model/build-model.js';
export type { ClipOption } from './optimizers/clip.js';
export type { OptimizerOption, OptimizerSpec } from './optimizers/create-optimizers.js';
export type { OptimizerName, OptimizerOptions } from './optimizers/optimizer-kinds.js';
export type { ParameterGroup } from './optimizers/parameter-groups.js';
export { HookRegistry, type LoadedHook, type RegistryOptions } from './registry/hook-registry.js';
export type {
  HookItem,
  HookMap,
  HookName,
  HookOptions,
  HookSetting,
  HooksOption,
} from './registry/hooks-option.js';
export type { RegistryEntry } from './registry/registry-entry.js';
export type { ScheduleName, ScheduleOption, ScheduleSpec } from './schedules/create-schedule.js';
export type { Strategy, StrategyOption } from './strategy.js';
export { Trainer } from './trainer.js';
export type { TrainerHooks } from './trainer-hooks.js';
export type { EvaluateOptions, FitOptions, TrainerOptions } from './trainer-options.js';
