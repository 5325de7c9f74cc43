import { readFile } from 'node:fs/promises';
import { kindsOf } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';

test('the manifest names the export, the hook, and what kind of hook it is with everything switched on', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual(['gradient-monitor']);
  const hook = gradientMonitor({ gradients: 'both' });
  expect(hook.name).toBe('gradient-monitor');
  expect(trainerHooks.hooks['gradient-monitor']).toMatchObject({
    export: 'gradientMonitor',
    kinds: kindsOf(hook),
  });
});

test('it only observes: no event of it can change what is trained', () => {
  const events = Object.keys(gradientMonitor()).filter((name) => /^(on|transform)[A-Z]/.test(name));
  expect(events).toEqual(['onGradientsReady', 'onAfterOptimizerStep']);
});
