import { defineOptions, is, type OptionRule, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import type { PathFilter, TapSpec } from '@hookline/layer-taps';
import type { DebugConditions } from './taps/debug-check.js';
import {
  type CaptureHookOptions,
  isConditions,
  isMetrics,
  MANAGER_RULES,
  type TapManagerOptions,
} from './taps/manager-options.js';
import type { MonitoringMetric } from './taps/monitor.js';

export type ActivationsStage = 'train' | 'validation' | 'test' | 'predict';

export interface ActivationsOptions extends TapManagerOptions {
  /** Look at the first step and then at every n-th; in other stages at every n-th batch. Default 100. */
  every?: number;
  /** In which stages hooks act, interventions included. Default training only. */
  stages?: readonly ActivationsStage[];
  /** The layers to monitor; `false`: none. Default all but the cells of RNNs. */
  monitor?: PathFilter | false;
  /** What to log of each, as `act/<path>/<metric>`. Default mean, std, norm and sparsity. */
  metrics?: readonly MonitoringMetric[];
  /** The layers to capture. Default none. */
  capture?: PathFilter;
  /** Default false: inputs are the outputs of the layers before. */
  captureInput?: boolean;
  /** Default true. */
  captureOutput?: boolean;
  /** Where captured states are kept. Default `host`. */
  store?: NonNullable<CaptureHookOptions['store']>;
  /** The layers to look for trouble in. Default none. */
  debug?: PathFilter;
  /** What trouble is. Default NaN and infinity. */
  conditions?: DebugConditions;
  /** `record` (default): warn and go on. `throw`: end the run. `break`: pause in the debugger. */
  action?: 'record' | 'throw' | 'break';
  /** Taps that change what the model computes, such as `ablate` returns; on every step. Needs `enableIntervention`. */
  interventions?: readonly TapSpec[];
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    activations: ActivationsOptions;
  }
}

const STAGES: readonly ActivationsStage[] = ['train', 'validation', 'test', 'predict'];

const isStages: OptionRule = (value) =>
  Array.isArray(value) && value.every((each) => STAGES.includes(each))
    ? undefined
    : `a list of ${STAGES.join(', ')}`;

const isFilter: OptionRule = (value) => {
  const isEntry = (entry: unknown) => (typeof entry === 'string' && entry !== '') || entry instanceof RegExp;
  const entries = [value].flat();
  if (typeof value === 'function' || (entries.length > 0 && entries.every(isEntry))) return undefined;
  return 'a path, a glob, a RegExp, a list of these, or a function of the path';
};

const isSpecs: OptionRule = (value) =>
  Array.isArray(value) && value.every((each) => Array.isArray(each) && each.length === 2)
    ? undefined
    : 'a list of [filter, handler], such as ablate, patch and steer return';

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  layers: 'Did you mean "monitor" or "capture"?',
  logFreq: 'Did you mean "every"?',
};

export const schema: OptionsSchema<ActivationsOptions> = withForeignNames(
  defineOptions<ActivationsOptions>('activations', {
    ...MANAGER_RULES,
    every: is.integer({ min: 1 }),
    stages: isStages,
    monitor: is.either(isFilter, is.oneOf(false)),
    metrics: isMetrics,
    capture: isFilter,
    captureInput: is.boolean,
    captureOutput: is.boolean,
    store: is.oneOf('host', 'device', 'statistics'),
    debug: isFilter,
    conditions: isConditions,
    action: is.oneOf('record', 'throw', 'break'),
    interventions: isSpecs,
  }),
  'activations',
  FOREIGN,
);
