import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHooksKey } from '@hookline/hook-api/helpers';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { jsonLog } from '../../src/index.js';

const folder = folderPerTest();

test('what hooks and the trainer warn of stays with the run, as lines of its log', async () => {
  const { trainer } = tinyRun(
    [
      {
        name: 'worried',
        onEpochEnd(ctx) {
          ctx.logger.warn({ layer: 'dense_1' }, 'The layer is asleep.');
          throw new Error('and so am I');
        },
      },
      jsonLog(),
    ],
    { runsDir: folder.path },
  );
  const { runDir } = await trainer.fit({ train: samples(8), epochs: 2, batchSize: 8 });
  const lines = readFileSync(join(runDir, 'log.jsonl'), 'utf8').trimEnd().split('\n');
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'warning');
  expect(warnings.map(({ level, hook, message }) => [level, hook, message])).toEqual([
    ['warn', 'worried', 'The layer is asleep.'],
    ['warn', 'worried', expect.stringContaining('and so am I')],
    ['warn', 'worried', 'The layer is asleep.'],
    ['warn', 'worried', expect.stringContaining('and so am I')],
  ]);
});

test('a hook can see the hooks of its run and what they cost, and switch them', async () => {
  let costs: readonly { name: string; calls: number }[] = [];
  let afterwards: readonly { name: string; enabled: boolean }[] = [];
  const calls: number[] = [];
  const { trainer } = tinyRun([
    { name: 'counted', onEpochEnd: (_ctx, { epoch }) => void calls.push(epoch) },
    {
      name: 'manager',
      onEpochEnd(ctx, { epoch }) {
        const hooks = ctx.shared.get(runHooksKey)!;
        if (epoch === 1) hooks.disable('counted');
        costs = hooks.costs();
        afterwards = hooks.list();
      },
    },
  ]);
  await trainer.fit({ train: samples(8), epochs: 4, batchSize: 8 });
  expect(calls).toEqual([0, 1]);
  expect(costs.map(({ name }) => name)).toEqual(['counted', 'manager']);
  expect(afterwards.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['counted', false],
    ['manager', true],
  ]);
});
