import { readFile } from 'node:fs/promises';
import { kindsOf } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { activations } from '../src/index.js';

test('the manifest names the export, the hook, and what kind of hook it is with everything switched on', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual(['activations']);
  const hook = activations({ stages: ['train', 'validation', 'test', 'predict'] });
  expect(hook.name).toBe('activations');
  expect(trainerHooks.hooks.activations).toMatchObject({ export: 'activations', kinds: kindsOf(hook) });
});

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
