import { defineOptions, is, type OptionRule, type OptionsSchema } from '@hookline/hook-api';
import type { Layer, PathFilter, TapEvent, TapGradientEvent, TapInputEvent } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { DebugConditions, DebugFinding, DebugRules } from './debug-check.js';
import type { MonitoringMetric } from './monitor.js';

/** A layer, or which layers, or points of a module, are meant. */
export type LayerChoice = PathFilter | Layer;

export interface TapManagerOptions {
  /** How many captured states are kept for each hook, the newest; and how many records and findings. Default 100. */
  maxCapturedStates?: number;
  /** How much the captured states of all hooks may take together. Default 256. */
  memoryLimitMb?: number;
  /** Every n forward passes, drop what is older than n passes. Default 0: only the limits drop anything. */
  cleanupInterval?: number;
  /** Allow hooks that change what the model computes. Default false. */
  enableIntervention?: boolean;
}

export const MANAGER_RULES: { readonly [Name in keyof Required<TapManagerOptions>]: OptionRule } = {
  maxCapturedStates: is.integer({ min: 1 }),
  memoryLimitMb: is.number({ min: 0 }),
  cleanupInterval: is.integer({ min: 0 }),
  enableIntervention: is.boolean,
};

interface HookOptions {
  /** Default the kind and a number: `capture_1`. */
  id?: string;
  /** Accept that no layer matches. Default false: that is an error. */
  optional?: boolean;
}

export interface CaptureHookOptions extends HookOptions {
  /** Yours: kept with each state. */
  layerIndex?: number;
  /** Default true. The points of a module have no inputs. */
  captureInput?: boolean;
  /** Default true. */
  captureOutput?: boolean;
  /** Values on the host (default), tensors on the device, which cost no copy, or statistics in place of either. */
  store?: 'host' | 'device' | 'statistics';
}

export interface MonitoringHookOptions extends HookOptions {
  /** Default mean, std, norm and sparsity. */
  metrics?: readonly MonitoringMetric[];
}

export interface DebugHookOptions extends HookOptions {
  /** Default `{ nan: true }`. */
  conditions?: DebugConditions;
  /** What to do when one is met: `record` (default) and go on, `throw`, or `break` into the debugger. */
  action?: DebugRules['action'];
  /** Called with each finding: at once where tensors are in this process's memory, otherwise when they are read. */
  onFinding?: (finding: DebugFinding) => void;
}

type Replacement<Value> = Value | undefined;

export interface InterventionHookOptions extends HookOptions {
  /** Returns what goes on in place of the outputs; gradients flow through it. */
  transform?: (event: TapEvent) => Replacement<Tensor | readonly Tensor[]>;
  /** Returns what the layer gets in place of its inputs. */
  transformInput?: (event: TapInputEvent) => Replacement<Tensor | readonly Tensor[]>;
  /** Returns what goes on backwards in place of the gradient of the output. */
  transformGradient?: (event: TapGradientEvent) => Replacement<Tensor>;
}

const METRICS: readonly MonitoringMetric[] = [
  'mean',
  'std',
  'norm',
  'min',
  'max',
  'sparsity',
  'dead',
  'nonFinite',
  'histogram',
  'time',
  'bytes',
  'gradient',
];

export const DEFAULT_METRICS: readonly MonitoringMetric[] = ['mean', 'std', 'norm', 'sparsity'];

export const isMetrics: OptionRule = (value) => {
  const isKnown = (each: unknown) => METRICS.includes(each as MonitoringMetric);
  return Array.isArray(value) && value.every(isKnown) ? undefined : `a list of ${METRICS.join(', ')}`;
};

const isBounds: OptionRule = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isNumber) && value[0]! <= value[1]!
    ? undefined
    : 'two numbers, [min, max]';

const isGradientBounds: OptionRule = (value) => {
  const isKnown = ([name, bound]: [string, unknown]) =>
    ['min', 'max'].includes(name) && (bound === undefined || isNumber(bound));
  const isRecord = typeof value === 'object' && value !== null;
  return isRecord && Object.entries(value).every(isKnown) ? undefined : 'numbers, { min, max }';
};

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

export const isConditions: OptionRule = (value) => {
  if (typeof value !== 'object' || value === null) return 'an object of conditions';
  const problems = Object.entries(value).flatMap(([name, given]) => {
    const rule = Object.hasOwn(CONDITIONS, name) ? CONDITIONS[name as keyof DebugConditions] : undefined;
    if (!rule) return [`without "${name}", which is not one of ${Object.keys(CONDITIONS).join(', ')}`];
    const expected = given === undefined ? undefined : rule(given);
    return expected === undefined ? [] : [`with "${name}" ${expected}`];
  });
  return problems.length === 0 ? undefined : `an object ${problems.join(' and ')}`;
};

const CONDITIONS: { readonly [Name in keyof Required<DebugConditions>]: OptionRule } = {
  nan: is.boolean,
  range: isBounds,
  custom: is.function,
  gradient: isGradientBounds,
};

const COMMON = { id: is.string, optional: is.boolean };

export const SCHEMAS: Readonly<
  Record<'manager' | 'capture' | 'monitor' | 'debug' | 'intervention', OptionsSchema>
> = {
  manager: defineOptions<TapManagerOptions>('TapManager', MANAGER_RULES),
  capture: defineOptions<CaptureHookOptions>('capture', {
    ...COMMON,
    layerIndex: is.integer(),
    captureInput: is.boolean,
    captureOutput: is.boolean,
    store: is.oneOf('host', 'device', 'statistics'),
  }),
  monitor: defineOptions<MonitoringHookOptions>('monitor', { ...COMMON, metrics: isMetrics }),
  debug: defineOptions<DebugHookOptions>('debug', {
    ...COMMON,
    conditions: isConditions,
    action: is.oneOf('record', 'throw', 'break'),
    onFinding: is.function,
  }),
  intervention: defineOptions<InterventionHookOptions>('intervention', {
    ...COMMON,
    transform: is.function,
    transformInput: is.function,
    transformGradient: is.function,
  }),
};
