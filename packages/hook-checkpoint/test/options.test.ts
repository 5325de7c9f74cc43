import { describe, expect, test } from 'vitest';
import { type CheckpointOptions, checkpoint } from '../src/index.js';
import { rulesOf } from '../src/options.js';

describe('options', () => {
  test('have the defaults of the table in the README', () => {
    const { filename, ...rules } = rulesOf({});
    expect(rules).toEqual({
      dir: undefined,
      monitors: [{ monitor: 'val/loss', mode: 'min', saveTopK: 3, pointer: 'best' }],
      monitorIsNamed: false,
      saveLast: true,
      every: { epochs: 1 },
      saveOnTrainEpochEnd: undefined,
      format: 'safetensors',
      async: true,
      onDiskFull: 'warn',
      onNonFinite: 'ignore',
      checkWeights: true,
      saveOnException: true,
      saveOnSignal: true,
    });
    expect(filename({ epoch: 3, step: 120 })).toBe('epoch_3_step_120');
  });

  test('that do not exist are named with the nearest one', () => {
    expect(() => checkpoint({ saveTopk: 2 } as CheckpointOptions)).toThrow(/Did you mean "saveTopK"/);
  });

  test.each([
    [{ every: {} }, /"every" must be one or more of \{ steps, epochs, minutes \}/],
    [{ every: { seconds: 3 } }, /"every" must be/],
    [{ every: { steps: 1.5 } }, /"every" must be/],
    [{ every: { minutes: 0 } }, /"every" must be/],
    [{ saveTopK: -2 }, /"saveTopK" must be a whole number of at least -1/],
    [{ format: 'h5' }, /"format" must be "safetensors" or "tfjs"/],
    [{ dir: '' }, /"dir" must be a string that is not empty/],
    [{ saveTopK: 0, saveLast: false }, /keep nothing/],
    [{ monitor: 'val/accuracy' }, /Say mode: "max"/],
    [{ monitor: '' }, /"monitor" must be the name of a metric, or a list/],
    [{ monitor: [] }, /"monitor" must be the name of a metric, or a list/],
    [{ monitor: ['val/loss', 3] }, /\[1\] is neither of the two/],
    [{ monitor: [{ mode: 'max' }] }, /\[0\]\.metric must be a string that is not empty/],
    [{ monitor: [{ metric: 'a/b', mode: 'best' }] }, /\[0\]\.mode must be "min" or "max"/],
    [{ monitor: ['x/y', { metric: 'a/b', saveTopK: -3 }] }, /\[1\]\.saveTopK must be a whole number of at/],
    [
      { monitor: [{ metric: 'a/b', saveTopk: 1 }] },
      /\[0\] has an unknown option "saveTopk"\. Did you mean "saveTopK"/,
    ],
    [{ monitor: ['val/loss', 'val/loss'] }, /the metric "val\/loss" twice\. Name each metric once/],
    [{ monitor: ['val/loss', { metric: 'val/loss', mode: 'max' }] }, /the metric "val\/loss" twice/],
    [{ monitor: ['my/a/b', 'my/a:b'] }, /"my\/a\/b" and "my\/a:b", whose pointers would both be called/],
    [{ monitor: ['val/loss', 'val/accuracy'] }, /"val\/accuracy", where higher is usually better/],
    [{ monitor: ['a/b', { metric: 'c/d', saveTopK: 0 }], saveTopK: 0, saveLast: false }, /keep nothing/],
    [{ filename: 'a/{epoch}' }, /a slash/],
    [{ filename: '{epoch' }, /a brace that belongs to no placeholder/],
    [{ filename: '.{epoch}' }, /a dot at the start/],
    [{ filename: '{epoch:3x}' }, /the format "3x" for "epoch"/],
  ])('%j is refused', (options, message) => {
    expect(() => checkpoint(options as CheckpointOptions)).toThrow(message);
  });

  test('of the hook apply to every metric in a list that does not have its own', () => {
    const { monitors } = rulesOf({
      monitor: ['my/error', { metric: 'val/accuracy', mode: 'max', saveTopK: 1 }, { metric: 'my/a:b' }],
      saveTopK: 5,
    });
    expect(monitors).toEqual([
      { monitor: 'my/error', mode: 'min', saveTopK: 5, pointer: 'best' },
      { monitor: 'val/accuracy', mode: 'max', saveTopK: 1, pointer: 'best-val-accuracy' },
      { monitor: 'my/a:b', mode: 'min', saveTopK: 5, pointer: 'best-my-a-b' },
    ]);
  });

  test('can be checked without making the hook', () => {
    expect(
      checkpoint.options['~standard'].validate({ every: { steps: 5, minutes: 0.5 } }),
    ).not.toHaveProperty('issues');
  });
});
