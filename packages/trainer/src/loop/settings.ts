import type { Loader } from '@hookline/data';
import type { JsonValue, OptimizerView } from '@hookline/hook-api';
import type { EmaOptions } from '@hookline/optimizers';
import type { Settings } from '../resume/settings.js';
import type { Prepared, PrepareOptions } from '../run/prepare.js';
import { readableConfig } from '../run/record/config-hash.js';
import { modelSettings } from './model-settings.js';
import type { FitOptions, StepOptions } from './plan.js';

/** How a trainer trains: what a fit continues with or contradicts when it resumes. */
export type TrainingOptions = PrepareOptions & StepOptions & { ema?: EmaOptions; seed?: number };
type DataOptions = Pick<
  FitOptions,
  'validationSplit' | 'limitTrainBatches' | 'limitValBatches' | 'overfitBatches'
>;

/** What decides how a run trains, with defaults filled in, so that what is the same reads the same. */
export function settingsOf(
  options: TrainingOptions,
  { validationSplit, limitTrainBatches, limitValBatches, overfitBatches }: DataOptions,
  { configured, trainable, backend, world }: Pick<Prepared, 'backend' | 'configured' | 'trainable' | 'world'>,
  validation: readonly Loader[],
): Settings {
  const { accumulate = 1, clip = null, ema, seed, labelSmoothing = 0 } = options;
  const { loss = null, lossWeights = null, classWeights = null, schedule } = options;
  return {
    backend: backend.name,
    processes: world?.size ?? 1,
    ...modelSettings(trainable),
    ...groupSettings(configured),
    optimizer: listed(options.optimizer ?? 'adam').map(withoutNumbers),
    schedule: schedule === undefined ? null : listed(schedule),
    ...(readableConfig({ accumulate, clip, loss, lossWeights, classWeights, labelSmoothing }) as Settings),
    ema: ema?.decay ?? null,
    validationSplit: validationSplit ?? null,
    limitTrainBatches: limitTrainBatches ?? null,
    overfitBatches: overfitBatches ?? null,
    // What is held back of the training data, or is the training data, is compared with it.
    ...(validationSplit === undefined &&
      overfitBatches === undefined && {
        validation: { limit: limitValBatches ?? null, data: validation.map(samplesOf) },
      }),
    ...(seed !== undefined && { seed }),
  };
}

/** What tells the samples of a loader apart from others, where it knows: not how they are cut into batches. */
function samplesOf({ name, order: { samples, batches, data } = {} }: Loader): JsonValue {
  return readableConfig({ name, samples, batches, data });
}

/** As the optimizers have them, whether they were given or are defaults. */
function groupSettings(optimizers: readonly OptimizerView[]): Settings {
  const isOne = optimizers.length === 1 && optimizers[0]!.groups.length === 1;
  const entries = optimizers.flatMap((optimizer) =>
    optimizer.groups.flatMap((group) => {
      const of = isOne ? '' : ` of ${optimizer.name}/${group.name}`;
      const { lr, momentum = 0, weightDecay = 0 } = group;
      return Object.entries({ lr, momentum, weightDecay }).map(([name, value]) => [`${name}${of}`, value]);
    }),
  );
  return Object.fromEntries(entries) as Settings;
}

/** One, or several, each by its name or with options: as a list of objects. */
function listed(option: unknown): JsonValue[] {
  const all = Array.isArray(option) ? option : [option];
  return all.map((each) => readableConfig(typeof each === 'string' ? { name: each } : each));
}

/** Those that the groups have are compared there. */
function withoutNumbers(spec: JsonValue): JsonValue {
  if (typeof spec !== 'object' || spec === null) return spec;
  if (Array.isArray(spec)) return spec.map(withoutNumbers);
  return Object.fromEntries(
    Object.entries(spec)
      .filter(([name]) => !['lr', 'learningRate', 'momentum', 'weightDecay'].includes(name))
      .map(([name, value]) => [name, withoutNumbers(value)]),
  );
}
