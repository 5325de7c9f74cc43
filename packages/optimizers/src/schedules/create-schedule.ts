import { didYouMean, is, type OptionRule } from '@hookline/hook-api';
import { belowOne, checkOptions, notNegative, positive } from '@hookline/hook-api/helpers';
import { optimizerError } from '../errors.js';
import {
  type ConstantOptions,
  type CosineOptions,
  type Curve,
  constant,
  cosine,
  type ExponentialOptions,
  exponential,
  type OneCycleOptions,
  oneCycle,
  type PolynomialOptions,
  polynomial,
  type StepDecayOptions,
  stepDecay,
  type WarmupOptions,
  warmup,
} from './curves.js';
import { type Plateau, type PlateauOptions, plateau } from './plateau.js';

/** How long a schedule runs, and whether it counts steps or epochs. */
type Length = { steps: number; epochs?: never } | { epochs: number; steps?: never };

/** A schedule without an end says what it counts; default `step`. */
type AnyLength = Length | { by?: 'step' | 'epoch'; steps?: never; epochs?: never };

/** A factor on the learning rate that changes during training. */
export type ScheduleSpec =
  | ({ name: 'constant' } & ConstantOptions & AnyLength)
  | ({ name: 'step' } & StepDecayOptions & AnyLength)
  | ({ name: 'exponential' } & ExponentialOptions & AnyLength)
  | ({ name: 'polynomial' } & PolynomialOptions & Length)
  | ({ name: 'cosine' } & CosineOptions & (Length | (AnyLength & { cycle: number })))
  | ({ name: 'warmup' } & WarmupOptions & Length)
  | ({ name: 'one-cycle' } & OneCycleOptions & Length)
  | ({ name: 'plateau' } & PlateauOptions & AnyLength);

export type ScheduleName = ScheduleSpec['name'];

/** The factor on the learning rate, by the number of steps that the schedule has run. */
export type ScheduleFunction = (step: number) => number;

/** One schedule, or several in sequence: each runs for its length, the last one to the end. */
export type ScheduleOption = AnySchedule | readonly AnySchedule[];

/** Those that need nothing can be given by name alone. */
type AnySchedule = ScheduleSpec | 'constant' | 'plateau' | ScheduleFunction;

/** A schedule of the list, ready to run. */
export interface Segment {
  readonly unit: 'step' | 'epoch';
  /** `Infinity` for one that never ends. */
  readonly length: number;
  readonly course: Curve | Plateau;
}

/** The options that schedules share, before it is checked which of them this one may have. */
interface LengthOptions {
  steps?: number;
  epochs?: number;
  by?: 'step' | 'epoch';
}

interface Kind {
  /** `length` is finite where it is needed. */
  course(options: never, length: number): Curve | Plateau;
  options: Readonly<Record<string, OptionRule>>;
  /** Options that are required; `length` stands for `steps` or `epochs`. */
  needs?: readonly string[];
}

const COUNT = is.integer({ min: 1 });

const LENGTH: Readonly<Record<string, OptionRule>> = {
  steps: COUNT,
  epochs: COUNT,
  by: is.oneOf('step', 'epoch'),
};

const KINDS: { readonly [Name in ScheduleName]: Kind } = {
  constant: { course: constant, options: { factor: notNegative } },
  step: { course: stepDecay, options: { every: COUNT, gamma: positive }, needs: ['every'] },
  exponential: { course: exponential, options: { gamma: positive }, needs: ['gamma'] },
  polynomial: { course: polynomial, options: { power: positive, to: notNegative }, needs: ['length'] },
  cosine: { course: cosine, options: { cycle: COUNT, growth: COUNT, to: notNegative }, needs: ['cycle'] },
  warmup: { course: warmup, options: { from: notNegative }, needs: ['length'] },
  'one-cycle': {
    course: oneCycle,
    options: { rise: belowOne, from: notNegative, to: notNegative, shape: is.oneOf('cosine', 'linear') },
    needs: ['length'],
  },
  plateau: {
    course: plateau,
    options: {
      monitor: is.string,
      mode: is.oneOf('min', 'max'),
      factor: belowOne,
      patience: is.integer({ min: 0 }),
      threshold: notNegative,
      thresholdMode: is.oneOf('relative', 'absolute'),
      cooldown: is.integer({ min: 0 }),
      min: notNegative,
    },
  },
};

/** Checks the option and makes its schedules, in order. */
export function createSchedule(option: ScheduleOption): Segment[] {
  const specs = (Array.isArray(option) ? option : [option]) as readonly AnySchedule[];
  if (specs.length === 0)
    throw optimizerError(
      'BAD_SCHEDULE',
      'The list of schedules is empty. Give at least one schedule, or remove the option.',
    );
  return specs.map((spec, index) => {
    const segment = createSegment(spec);
    if (segment.length === Infinity && index < specs.length - 1) {
      throw optimizerError(
        'BAD_SCHEDULE',
        `Schedule ${typeof spec === 'object' ? `"${spec.name}"` : index} never ends, so the one after it would never start. Give it steps or epochs.`,
      );
    }
    return segment;
  });
}

function createSegment(spec: AnySchedule): Segment {
  if (typeof spec === 'function') return { unit: 'step', length: Infinity, course: checkedCurve(spec) };
  const { name, ...options } = (typeof spec === 'string' ? { name: spec } : Object(spec)) as {
    name: ScheduleName;
  } & LengthOptions &
    Record<string, unknown>;
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind) {
    const names = Object.keys(KINDS);
    throw optimizerError(
      'BAD_SCHEDULE',
      `There is no schedule "${String(name)}".${didYouMean(String(name), names)} Known schedules: ${names.join(', ')}; or a function from the step to a factor on the learning rate.`,
    );
  }
  const where = `Schedule "${name}"`;
  checkOptions(options, { ...kind.options, ...LENGTH }, where);
  const { steps, epochs, by } = options;
  const counted = epochs === undefined ? 'step' : 'epoch';
  const length = epochs ?? steps ?? Infinity;
  if ((steps !== undefined && epochs !== undefined) || (length !== Infinity && by && by !== counted)) {
    throw optimizerError(
      'BAD_SCHEDULE',
      `${where} counts either steps or epochs, but has ${Object.keys(options).join(', ')}. Keep only one of steps, epochs and by.`,
    );
  }
  checkNeeds(name, where, kind, options, length);
  return {
    unit: length === Infinity ? (by ?? 'step') : counted,
    length,
    course: kind.course(options as never, length),
  };
}

/** What a function returns is checked at each step: NaN would ruin the weights. */
function checkedCurve(curve: ScheduleFunction): Curve {
  return (position) => {
    const factor: unknown = curve(position);
    if (typeof factor === 'number' && factor >= 0 && factor < Infinity) return factor;
    throw optimizerError(
      'BAD_SCHEDULE',
      `The schedule function returned ${String(factor)} for step ${position}, expected a number of at least 0: the factor on the learning rate.`,
    );
  };
}

function checkNeeds(
  name: ScheduleName,
  where: string,
  { needs = [] }: Kind,
  options: LengthOptions & Record<string, unknown>,
  length: number,
): void {
  for (const need of needs) {
    const isLength = need === 'length' || need === 'cycle';
    if (options[need] !== undefined || (isLength && length !== Infinity)) continue;
    const missing = isLength ? `steps or epochs${need === 'cycle' ? ', or a cycle' : ''}` : need;
    const example = isLength ? 'steps: 1000' : need === 'every' ? 'every: 100' : 'gamma: 0.99';
    throw optimizerError('BAD_SCHEDULE', `${where} needs ${missing}: { name: '${name}', ${example} }.`);
  }
}
