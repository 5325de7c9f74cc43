import { expect, test } from 'vitest';
import { durationText, numberText } from '../page/dom.js';
import { factsOf, logOf, reasonOf } from '../page/facts.js';
import { runMessage } from './shown-run.js';

test('the card of a run says how far it is and what is known, and leaves out the rest', () => {
  expect(factsOf(runMessage({ epochs: 3 }))).toEqual([['epoch', '3']]);
  const known = runMessage({
    epochs: 3,
    plannedEpochs: 10,
    best: { metric: 'val/loss', value: 0.123456, epoch: 2 },
    durationMs: 61_000,
    parameters: 1_234_567,
    backend: 'wasm',
    resumes: [40, 80],
  });
  expect(factsOf(known)).toEqual([
    ['epoch', '3 of 10'],
    ['best', 'val/loss 0.1235 in epoch 2'],
    ['took', '1 min 1 s'],
    ['parameters', '1,234,567'],
    ['backend', 'wasm'],
    ['resumed', 'at step 40, at step 80'],
  ]);
});

test.each([
  [{}, ''],
  [{ stopReason: 'early-stopping: no progress' }, 'early-stopping: no progress'],
  [{ failure: 'the loss is NaN' }, 'the loss is NaN'],
  [{ verdict: 'data is slow' }, 'data is slow'],
  [{ stopReason: 'enough', verdict: 'data is slow' }, 'enough · data is slow'],
])('%j is told as "%s"', (more, text) => {
  expect(reasonOf(runMessage(more))).toBe(text);
});

test('the log has the latest warning first, with its step and its hook', () => {
  const warnings = [
    { step: 1, hook: 'debug', message: 'first' },
    { step: 9, message: 'second' },
  ];
  expect(logOf([runMessage({ warnings })])).toEqual([
    { where: 'step 9', message: 'second' },
    { where: 'step 1 [debug]', message: 'first' },
  ]);
});

test('of several runs, a warning says whose it is', () => {
  const warnings = [{ step: 1, hook: 'debug', message: 'slow' }];
  const runs = [runMessage({ id: 'a', warnings }), runMessage({ id: 'b' })];
  expect(logOf(runs)).toEqual([{ where: 'a step 1 [debug]', message: 'slow' }]);
});

test.each([
  [999.4, '999 ms'],
  [999.9, '1.0 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min 0 s'],
  [119_700, '2 min 0 s'],
  [3_599_900, '1 h 0 min'],
])('%d ms are "%s": what rounds to the next unit is told in it', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test.each([
  [999_949, '999900'],
  [999_999, '1.00e6'],
  [-999_999, '-1.00e6'],
  [0.000_999_999, '0.001'],
  [0.000_999, '9.99e-4'],
])('%d is "%s": four digits decide whether it is long', (value, text) => {
  expect(numberText(value)).toBe(text);
});
