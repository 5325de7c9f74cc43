import { isDeepStrictEqual } from 'node:util';
import type { Trial } from './trial.js';

/** What two equal runs have in common: times and the like differ, and are not compared. */
export type Expected = Pick<Trial, 'weights' | 'history' | 'stopReason' | 'series' | 'states'>;

/** What can be expected of every run like these two. */
export function expectedOf(one: Trial, other: Trial): Expected {
  const series = Object.entries(one.series).filter(([key, value]) => Object.is(other.series[key], value));
  const states = Object.entries(one.states).filter(([name, state]) =>
    isDeepStrictEqual(other.states[name], state),
  );
  const { weights, stopReason } = one;
  return {
    weights,
    history: one.history.map((metrics, epoch) =>
      Object.fromEntries(
        Object.entries(metrics).filter(([name, value]) => Object.is(other.history[epoch]?.[name], value)),
      ),
    ),
    stopReason,
    series: Object.fromEntries(series),
    states: Object.fromEntries(states),
  };
}

/**
 * The first thing in which a run is not as expected, in words; undefined when it is. `fromStep` is where a resumed run
 * began: it has only what comes after.
 */
export function difference(found: Trial, expected: Expected, fromStep = 0): string | undefined {
  return (
    seriesDifference(found, expected, fromStep) ??
    stateDifference(found, expected) ??
    reasonDifference(found, expected) ??
    trainingDifference(found, {
      weights: expected.weights,
      history: fromStep > 0 ? expected.history.slice(-1) : expected.history,
    })
  );
}

/** The same for training alone, whatever hooks log and keep. */
export function trainingDifference(
  found: Pick<Trial, 'weights' | 'history'>,
  expected: Pick<Trial, 'weights' | 'history'>,
): string | undefined {
  const epochs = found.history.length;
  if (epochs !== expected.history.length)
    return `the run has ${epochs} epochs, where it had ${expected.history.length}`;
  const weight = expected.weights.findIndex((value, index) => !Object.is(found.weights[index], value));
  if (weight >= 0)
    return `weight ${weight} of the model is ${found.weights[weight]} in the end, where it was ${expected.weights[weight]}`;
  for (const [epoch, metrics] of expected.history.entries()) {
    const name = Object.keys(metrics).find((each) => !Object.is(found.history[epoch]![each], metrics[each]));
    if (name !== undefined)
      return `${name} of epoch ${epoch + 1} is ${found.history[epoch]![name]}, where it was ${metrics[name]}`;
  }
  return undefined;
}

function seriesDifference(found: Trial, expected: Expected, fromStep: number): string | undefined {
  for (const [key, value] of Object.entries(expected.series)) {
    const [place = '', metric = ''] = key.split(': ');
    const step = Number(place.split(' ')[1]);
    if (step <= fromStep || Object.is(found.series[key], value)) continue;
    const now = key in found.series ? `is ${found.series[key]}` : 'is not logged';
    return `"${metric}" ${now} at ${place}, where it was ${value}`;
  }
  return undefined;
}

function stateDifference(found: Trial, expected: Expected): string | undefined {
  for (const [name, state] of Object.entries(expected.states)) {
    if (isDeepStrictEqual(found.states[name], state)) continue;
    return `the saved state of "${name}" is ${JSON.stringify(found.states[name])} in the end, where it was ${JSON.stringify(state)}`;
  }
  return undefined;
}

function reasonDifference(found: Trial, { stopReason }: Expected): string | undefined {
  if (found.stopReason === stopReason) return undefined;
  const [now, before] = [found.stopReason, stopReason].map((reason) => JSON.stringify(reason ?? null));
  return `the run ended with the reason ${now}, where it was ${before}`;
}
