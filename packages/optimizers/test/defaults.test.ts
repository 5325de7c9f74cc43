import { readFileSync } from 'node:fs';
import { useBackend } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OptimizerOption } from '../src/index.js';
import { createSchedule, type ScheduleSpec } from '../src/schedules/create-schedule.js';
import type { Curve } from '../src/schedules/curves.js';
import type { Plateau, PlateauState } from '../src/schedules/plateau.js';
import { drive, GRADIENTS } from './drive.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** What the README says about each name of a table: "`lr` 0.01, `nesterov` false" as options. */
function tableOf(heading: string): Record<string, Record<string, unknown>> {
  const section = README.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const rows = [...section.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)];
  return Object.fromEntries(rows.map(([, name, text]) => [name, optionsIn(text!)]));
}

/** Those with a value. A default that is not a number, a switch or a word in quotes is required, or a length. */
function optionsIn(text: string): Record<string, unknown> {
  const found = [...text.matchAll(/`(\w+)` (?:(true|false)|`'(.+?)'`|([\d.e/-]+))(?=[,; ]|$)/g)];
  return Object.fromEntries(
    found.map(([, name, truth, word, number]) => [name, truth ? truth === 'true' : (word ?? ratio(number!))]),
  );
}

/** "1/25" and "1e-7". */
function ratio(text: string): number {
  const [above, below = '1'] = text.split('/');
  return Number(above) / Number(below);
}

describe('an optimizer without options has the defaults of the README', () => {
  beforeAll(() => useBackend('cpu'));
  const optimizers = tableOf('Optimizers');
  optimizers.adamw = { ...optimizers.adam, ...optimizers.adamw };

  test('all of them are there', () => {
    expect(Object.keys(optimizers)).toEqual([
      'sgd',
      'adam',
      'adamw',
      'rmsprop',
      'adagrad',
      'adadelta',
      'lion',
    ]);
  });

  test.each(Object.entries(optimizers))('%s: %o', (name, options) => {
    expect(Object.keys(options).length).toBeGreaterThan(2);
    const weights = (option: object) => {
      const driven = drive(option as OptimizerOption);
      driven.step(GRADIENTS.slice(0, 10));
      return driven.values();
    };
    const expected = weights({ name });
    expect(weights({ name, ...options })).toEqual(expected);
    // Each of them matters: otherwise the README could say anything.
    expect(weights({ name, ...options, lr: 0.5 })).not.toEqual(expected);
    expect(weights({ name, ...options, weightDecay: 0.5 })).not.toEqual(expected);
  });
});

describe('a schedule without options has the defaults of the README', () => {
  const required: Record<string, object> = {
    step: { every: 7 },
    exponential: { gamma: 0.97 },
    polynomial: { steps: 50 },
    cosine: { steps: 50 },
    warmup: { steps: 50 },
    'one-cycle': { steps: 50 },
  };
  const schedules = tableOf('Schedules');

  /** Factors at the first steps, or after values that get better once. */
  function course(spec: object): number[] {
    const [segment] = createSchedule(spec as ScheduleSpec);
    const at = segment!.course as Curve | Plateau;
    if (typeof at === 'function') return Array.from({ length: 50 }, (_, step) => at(step));
    const factors: number[] = [];
    let state: PlateauState = at.start;
    for (let i = 0; i < 50; i++) {
      // Hardly better once: more than the threshold by default, and less than twice as much.
      state = at.next(state, i < 30 ? 1 : 1 - 0.00015);
      factors.push(state.factor);
    }
    return factors;
  }

  test.each(Object.entries(schedules))('%s: %o', (name, options) => {
    const spec = { name, ...required[name] };
    // A cosine of one cycle takes no growth.
    const { growth: _, ...given } = options;
    expect(course({ ...spec, ...given })).toEqual(course(spec));
    if (name === 'cosine') expect(course({ name, cycle: 9, ...options })).toEqual(course({ name, cycle: 9 }));
  });

  test('and a plateau watches the metric that it says', () => {
    const [segment] = createSchedule({ name: 'plateau' });
    expect((segment!.course as Plateau).monitor).toBe(schedules.plateau!.monitor);
  });
});
