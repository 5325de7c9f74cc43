import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineHook } from '@hookline/hook-api';
import { checkpoint } from '@hookline/hook-checkpoint';
import { consoleLog, jsonLog } from '@hookline/hook-logging';
import { collectingLogger, regression, regressor, tempFolder } from '@hookline/test-support';
import { getTrainer } from '@hookline/trainer';
import { expect, test } from 'vitest';
import { launch, project } from './support/launch.js';

const FIT = { train: regression(24), batchSize: 4, epochs: 2 };

/** What the hooks have left in the folder of the only run. */
function leftIn(root: string): { events: string[]; checkpoints: number } {
  const [run, second] = readdirSync(join(root, 'runs'));
  expect(second).toBeUndefined();
  const folder = join(root, 'runs', run!);
  const lines = readFileSync(join(folder, 'log.jsonl'), 'utf8').trim().split('\n');
  const saved = readdirSync(join(folder, 'checkpoints')).filter((name) =>
    existsSync(join(folder, 'checkpoints', name, 'manifest.json')),
  );
  return { events: lines.map((line) => JSON.parse(line).event), checkpoints: saved.length };
}

test.each(['simple', 'accelerate'] as const)(
  'getTrainer("%s"): 24 samples, batches of 4, 2 epochs, with console, JSON, checkpoints and a hook of your own',
  async (strategy) => {
    const root = tempFolder({ 'package.json': { name: 'project' } });
    const printed: string[] = [];
    const counted = { batches: 0, epochs: 0 };
    const trainer = getTrainer(strategy, {
      ...{ model: regressor(), loss: 'meanSquaredError', backend: 'cpu', seed: 1, discover: false, root },
      logger: collectingLogger(),
      hooks: [
        consoleLog({ write: (text) => void printed.push(text) }),
        jsonLog(),
        checkpoint(),
        defineHook({
          name: 'own',
          onTrainBatchEnd: () => void counted.batches++,
          onEpochEnd: () => void counted.epochs++,
        }),
      ],
    });
    const { status, history } = await trainer.fit(FIT);
    expect(status).toBe('completed');
    expect(history[1]!['train/loss']).toBeLessThan(history[0]!['train/loss']!);
    expect(counted).toEqual({ batches: 12, epochs: 2 });
    expect(printed.join('')).toMatch(/epoch\s+2\/2/);
    const { events, checkpoints } = leftIn(root);
    expect(events.length).toBeGreaterThan(2);
    expect(checkpoints).toBeGreaterThan(0);
  },
);

test('the same in two processes: everything is printed and written once', async () => {
  const strategy = { name: 'accelerate', processes: 2, timeout: 60 } as const;
  const training = project({
    samples: 24,
    batchSize: 4,
    epochs: 2,
    logs: true,
    checkpointEvery: 6,
    strategy,
  });
  const { code, output, errors, ranks } = await launch(training);
  expect(code, errors).toBe(0);
  expect(ranks).toHaveLength(2);
  expect(ranks[1]!.weights).toBe(ranks[0]!.weights);
  expect(output.match(/epoch\s+2\/2\s+train/g)).toHaveLength(1);
  expect(leftIn(training.root).checkpoints).toBeGreaterThan(0);
});
