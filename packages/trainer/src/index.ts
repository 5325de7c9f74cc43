export type {
  BatchStream,
  Collate,
  Column,
  Columns,
  ColumnsByName,
  Data,
  Dataset,
  FeedState,
  Fold,
  IndexedSamples,
  Loader,
  MixOptions,
  MixStrategy,
  NumberArray,
  Sample,
  SampleValues,
  Source,
  Split,
  SplitOptions,
  Stream,
  StreamSource,
  Table,
} from '@hookline/data';
export {
  type CombinedData,
  type CsvOptions,
  type CsvSource,
  combine,
  csv,
  DataLoader,
  type DataLoaderOptions,
  kFold,
  splitData,
} from '@hookline/data';
export type {
  CheckedHooks,
  CheckedItem,
  HookItem,
  HookMap,
  HookName,
  HookOptions,
  HookSetting,
  HookSettingOf,
  HooksOption,
  RegistryEntry,
} from '@hookline/hook-discovery';
export { discoverHooks, HookRegistry, type LoadedHook, type RegistryOptions } from '@hookline/hook-discovery';
export { packFolder, unpackFolder } from '@hookline/host';
export { stopGradient } from '@hookline/numerics';
export type {
  ClipOption,
  OptimizerName,
  OptimizerOption,
  OptimizerOptions,
  OptimizerSpec,
  ParameterGroup,
  ScheduleName,
  ScheduleOption,
  ScheduleSpec,
} from '@hookline/optimizers';
export { createLogger } from '#host';
export type {
  BackendName,
  BackendOption,
  GpuBackendOptions,
  WasmBackendOptions,
} from './backends/backend-option.js';
export { type BackendChoice, selectBackend } from './backends/select-backend.js';
export { type Config, type DataSets, defineConfig, type FileReference } from './config/config.js';
export { callbackHook, type TfjsCallback } from './hooks/callback-hook.js';
export type { TrainerHooks } from './hooks/trainer-hooks.js';
export type { FitOptions } from './loop/plan.js';
export type { EvaluateOptions } from './loop/stages.js';
export type { LrFindOptions, LrFindResult } from './lr-find/lr-find.js';
export type { Model, ModelOption, OutputsOf } from './model/build-model.js';
export { applyPart } from './model/module-parts.js';
export type { LossFunction } from './objective/losses/loss-function.js';
export { type LossWithInputs, lossWithInputs } from './objective/losses/loss-with-inputs.js';
export type { LossName } from './objective/losses/losses.js';
export type { LossOption, LossSettings } from './objective/losses/output-losses.js';
export type { ClassWeights } from './objective/losses/target-settings.js';
export { auc } from './objective/metrics/auc.js';
export { accuracy, f1, precision, recall, topKAccuracy } from './objective/metrics/class-metrics.js';
export { meanMetric } from './objective/metrics/mean-metric.js';
export type {
  CountedSums,
  Metric,
  MetricContext,
  MetricFunction,
  OutputMeaning,
} from './objective/metrics/metric.js';
export type { MetricOption } from './objective/metrics/metric-option.js';
export type { MetricName } from './objective/metrics/metrics.js';
export type { MetricsOption } from './objective/metrics/output-metrics.js';
export { weighted } from './objective/metrics/weighted.js';
export type { LoadOptions, TrainerOptions } from './options.js';
export type { LoadReport, WeightFilter, WeightNotLoaded } from './resume/load-weights.js';
export type { ResumeSetting } from './resume/settings.js';
export type { FitResult } from './run/fit-result.js';
export type { Hyperparameters } from './run/record/hyperparameters.js';
export { type Exported, type ExportFormat, type ExportOptions, exportModel } from './saved/export-model.js';
export { type LoadModelOptions, loadModel } from './saved/load-model.js';
export type { Collective } from './strategies/collective.js';
export type { AccelerateOptions, Strategy, StrategyOption } from './strategies/strategy.js';
export { getTrainer, Trainer } from './trainer.js';
