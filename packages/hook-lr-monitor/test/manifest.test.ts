import { readFile } from 'node:fs/promises';
import { kindsOf } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { lrMonitor } from '../src/index.js';

test('package.json names the hook as it is exported, and the kinds that it has', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual([lrMonitor().name]);
  const { export: exported, kinds } = trainerHooks.hooks['lr-monitor'];
  expect(exported).toBe('lrMonitor');
  expect([...kinds].sort()).toEqual(kindsOf(lrMonitor({ frequency: 'epoch' })).sort());
});
