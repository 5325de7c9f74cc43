import type { JsonValue } from '@hookline/hook-api';
import type { RandomGenerator } from '@hookline/numerics';
import { sweepError } from './errors.js';

/** Numbers between two bounds, both of which can be drawn. */
export interface Range {
  readonly kind: 'uniform' | 'logUniform' | 'integer';
  readonly low: number;
  readonly high: number;
  /** How many values a grid takes from it. An integer range has all of them when absent. */
  readonly steps?: number;
}

export interface Choice {
  readonly kind: 'choice';
  readonly values: readonly JsonValue[];
}

export type Dimension = Range | Choice;

/** Dimensions by the path of the setting in the config, as `--set` takes it: `optimizer.lr`. */
export type SearchSpace = Readonly<Record<string, Dimension>>;

/** One value for each dimension. */
export type Point = Readonly<Record<string, JsonValue>>;

/** Any number between the bounds, all equally likely. */
export function uniform(low: number, high: number, options: { steps?: number } = {}): Range {
  return range('uniform', low, high, options);
}

/** Any number between the bounds, all orders of magnitude equally likely: for learning rates and weight decays. */
export function logUniform(low: number, high: number, options: { steps?: number } = {}): Range {
  return range('logUniform', low, high, options);
}

/** A whole number between the bounds. */
export function integer(low: number, high: number, options: { steps?: number } = {}): Range {
  return range('integer', low, high, options);
}

/** One of these. */
export function choice(...values: readonly JsonValue[]): Choice {
  return { kind: 'choice', values };
}

/** Refuses a space that no value can be drawn from, naming the dimension. */
export function checkSpace(space: SearchSpace): void {
  const names = Object.keys(space);
  if (names.length === 0)
    throw badSpace('is empty', 'Name at least one setting: { "optimizer.lr": logUniform(1e-4, 1e-1) }');
  for (const name of names) checkDimension(name, space[name]!);
}

/** The value at this share of the dimension, from 0 up to, but not including, 1. */
export function valueAt(dimension: Dimension, share: number): JsonValue {
  if (dimension.kind === 'choice') return dimension.values[Math.floor(share * dimension.values.length)]!;
  const { low, high } = bounds(dimension);
  return fromScale(dimension, low + share * (high - low));
}

/** A point that every point of the space is equally likely to be. */
export function randomPoint(space: SearchSpace, random: RandomGenerator): Point {
  return Object.fromEntries(
    Object.entries(space).map(([name, each]) => [name, valueAt(each, random.next())]),
  );
}

/** The bounds on the scale on which all values are equally likely; an integer has half a unit around it. */
export function bounds({ kind, low, high }: Range): { low: number; high: number } {
  if (kind === 'logUniform') return { low: Math.log(low), high: Math.log(high) };
  return kind === 'integer' ? { low: low - 0.5, high: high + 0.5 } : { low, high };
}

export function toScale({ kind }: Range, value: number): number {
  return kind === 'logUniform' ? Math.log(value) : value;
}

/** Never outside of the bounds, whatever rounding does. */
export function fromScale({ kind, low, high }: Range, scaled: number): number {
  const value = kind === 'logUniform' ? Math.exp(scaled) : kind === 'integer' ? Math.round(scaled) : scaled;
  return Math.min(high, Math.max(low, value));
}

function range(kind: Range['kind'], low: number, high: number, { steps }: { steps?: number }): Range {
  return { kind, low, high, ...(steps !== undefined && { steps }) };
}

function checkDimension(name: string, dimension: Dimension): void {
  const kind = (dimension as Partial<Dimension> | null)?.kind;
  if (kind === 'choice') {
    const { values } = dimension as Choice;
    if (!Array.isArray(values) || values.length === 0) {
      throw badSpace(`["${name}"] offers no choice`, 'Give it at least one value: choice(16, 32)');
    }
    return;
  }
  if (kind !== 'uniform' && kind !== 'logUniform' && kind !== 'integer') {
    throw badSpace(
      `["${name}"] is not a dimension`,
      'Use uniform(low, high), logUniform(low, high), integer(low, high) or choice(...values)',
    );
  }
  const { low, high, steps } = dimension as Range;
  if (!Number.isFinite(low) || !Number.isFinite(high) || low >= high) {
    throw badSpace(
      `["${name}"] goes from ${low} to ${high}`,
      'The lower bound must be a number below the upper one',
    );
  }
  if (kind === 'logUniform' && low <= 0) {
    throw badSpace(
      `["${name}"] starts at ${low}`,
      'Orders of magnitude need bounds above 0: use uniform, or raise it',
    );
  }
  if (kind === 'integer' && !(Number.isInteger(low) && Number.isInteger(high))) {
    throw badSpace(
      `["${name}"] goes from ${low} to ${high}`,
      'The bounds of integer(low, high) must be whole numbers',
    );
  }
  if (steps !== undefined && !(Number.isInteger(steps) && steps >= 2)) {
    throw badSpace(`["${name}"] has steps: ${steps}`, 'A grid takes a whole number of values, at least 2');
  }
}

function badSpace(what: string, fix: string): Error {
  return sweepError('SWEEP_SPACE', `The search space${what.startsWith('[') ? '' : ' '}${what}. ${fix}.`);
}
