import { expect, test } from 'vitest';
import { activations } from '../src/index.js';

test('stages that are not asked for are not listened to', () => {
  const eventsOf = (...stages: ('train' | 'validation' | 'test' | 'predict')[]) =>
    Object.keys(activations({ stages })).filter((name) => name.startsWith('on'));
  expect(eventsOf('train')).toEqual(['onTrainBatchStart', 'onAfterBackward']);
  expect(eventsOf('validation', 'test')).toEqual([
    'onValidationBatchStart',
    'onValidationBatchEnd',
    'onTestBatchStart',
    'onTestBatchEnd',
  ]);
  expect(eventsOf('predict')).toEqual(['onPredictBatchStart', 'onPredictBatchEnd']);
});
