import { readFile } from 'node:fs/promises';
import { kindsOf } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { debug } from '../src/index.js';

test('the manifest names the export, the hook, and what kind of hook it is with everything switched on', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual(['debug']);
  const hook = debug({ activations: true, shapes: 'every' });
  expect(hook.name).toBe('debug');
  expect(trainerHooks.hooks.debug).toMatchObject({ export: 'debug', kinds: kindsOf(hook) });
});

test('it only observes: no event of it can change the batch, the activations or the gradients', () => {
  const hook = debug({ activations: true, shapes: 'every' });
  expect(Object.keys(hook).filter((name) => name.startsWith('transform'))).toEqual([]);
});

test('what is switched off is not listened to', () => {
  expect(debug()).not.toHaveProperty('onForward');
  expect(debug()).not.toHaveProperty('onTrainBatchReady');
});
