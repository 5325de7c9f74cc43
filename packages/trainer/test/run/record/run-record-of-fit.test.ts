import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  regression,
  regressor,
  TEST_BACKEND,
  tempFolder,
} from '@hookline/test-support';
import { expect, test } from 'vitest';
import type { TrainerOptions } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

const data = regression(8);
const FIT = { train: data, epochs: 2, batchSize: 4 };

function setUp(options: Partial<TrainerOptions> = {}) {
  const root = tempFolder({ 'package.json': { name: 'project' } });
  const { runsDir: _none, ...rest } = { runsDir: undefined, ...options };
  const logger = collectingLogger();
  const trainer = quietTrainer({ model: regressor(), root, runsDir: 'runs', logger, ...rest });
  const records = () =>
    readdirSync(join(root, 'runs')).map((id) =>
      JSON.parse(readFileSync(join(root, 'runs', id, 'run.json'), 'utf8')),
    );
  return { root, trainer, records, logger };
}

test('a run that writes nothing names no folder, neither in its result nor to hooks', async () => {
  const seen: unknown[] = [];
  const asks: Hook = { name: 'asks', onTrainStart: (ctx) => void seen.push(ctx.run.dir) };
  const trainer = quietTrainer({ model: regressor(), hooks: [asks], runsDir: false });
  expect((await trainer.fit(FIT)).runDir).toBe('');
  expect(seen).toEqual([undefined]);
});

test('fit writes runs/<id>/run.json with what identifies the run, its hooks and how it ended', async () => {
  const watch: Hook = { name: 'watch', onEpochEnd: () => {} };
  const off: Hook = { name: 'off', onEpochEnd: () => {} };
  const { root, trainer, records, logger } = setUp({ hooks: [watch, [off, false]], seed: 42 });
  let during: unknown;
  let info: { id: string; dir: string | undefined } | undefined;
  trainer.addHook({
    name: 'reader',
    onTrainStart: (ctx) => {
      info = ctx.run;
      during = records()[0];
    },
  });
  const result = await trainer.fit(FIT);
  expect(result.runDir).toBe(join(root, 'runs', info!.id));
  expect(info!.dir).toBe(result.runDir);
  expect(during).toMatchObject({ id: info!.id, status: 'running', stage: 'fit', seed: 42 });
  const [record] = records();
  expect(record).toMatchObject({
    id: info!.id,
    status: 'completed',
    seed: 42,
    backend: { name: TEST_BACKEND },
    git: { commit: 'not a git repository' },
    model: { params: 21, seeded: false },
    config: { epochs: 2, batchSize: 4, loss: 'meanSquaredError' },
  });
  expect(record.configHash).toMatch(/^[0-9a-f]{8,}$/);
  expect(record.hooks.map((hook: { name: string; enabled: boolean }) => [hook.name, hook.enabled])).toEqual([
    ['watch', true],
    ['off', false],
    ['reader', true],
  ]);
  expect(record.metrics['train/loss']).toBeCloseTo(result.metrics['train/loss']!, 6);
  expect(record.hookCosts.find(({ name }: { name: string }) => name === 'watch').calls).toBe(2);
  const start = logger.lines.find(({ message }) => message === 'fit starts');
  expect(start!.fields).toMatchObject({ hooks: ['watch', 'reader'] });
});

test('the record says that a model made by a function follows the seed', async () => {
  const { trainer, records } = setUp({ model: regressor });
  await trainer.fit(FIT);
  expect(records()[0].model.seeded).toBe(true);
});

test('a stopped run has its reason, a failed one its error', async () => {
  const stopped = setUp({ hooks: [{ name: 'stop', onEpochEnd: (ctx) => ctx.stop('enough') }] });
  await stopped.trainer.fit(FIT);
  expect(stopped.records()[0]).toMatchObject({ status: 'stopped', stopReason: 'enough' });

  const failed = setUp();
  await errorOf(failed.trainer.fit({ ...FIT, train: { xs: [[1]], ys: [[1]] } }));
  expect(failed.records()[0]).toMatchObject({ status: 'error', error: { code: 'BAD_BATCH' } });
});

test('what follows a fit belongs to its run; another fit is a run of its own', async () => {
  const { trainer, records } = setUp();
  await trainer.fit(FIT);
  await trainer.test({ data });
  const [record] = records();
  expect(records()).toHaveLength(1);
  expect(record.status).toBe('completed');
  expect(Object.keys(record.metrics).sort()).toEqual(['test/loss', 'train/loss']);
  await errorOf(trainer.test({ data: { xs: [[1]], ys: [[1]] } }));
  expect(records()[0].status).toBe('completed'); // how the fit ended stays
  await trainer.fit(FIT);
  expect(records()).toHaveLength(2);
});

test('a fit that is refused because another is running does not disturb its record', async () => {
  const { trainer, records } = setUp();
  const first = trainer.fit(FIT);
  await errorOf(trainer.fit(FIT));
  await first;
  await trainer.test({ data });
  expect(records()).toHaveLength(1);
  expect(Object.keys(records()[0].metrics)).toContain('test/loss');
});

test('a test that failed and one that went well are told apart', async () => {
  const { trainer, records } = setUp();
  await errorOf(trainer.test({ data: { xs: [[1]], ys: [[1]] } }));
  expect(records()[0].status).toBe('error');
  await trainer.test({ data });
  expect(records()[0].status).toBe('completed');
});

test('a loop of trainingStep has a record too', async () => {
  const { trainer, records } = setUp();
  await trainer.trainingStep({
    xs: (await import('@tensorflow/tfjs-core')).ones([2, 3]),
    ys: (await import('@tensorflow/tfjs-core')).ones([2, 1]),
  });
  expect(records()[0].status).toBe('running');
  await trainer.close();
  expect(records()[0].status).toBe('completed');
});

test('runsDir: false writes nothing', async () => {
  const root = tempFolder({ 'package.json': { name: 'project' } });
  const trainer = quietTrainer({ model: regressor(), root, runsDir: false });
  await trainer.fit(FIT);
  expect(existsSync(join(root, 'runs'))).toBe(false);
});

test('the record has the best epoch', async () => {
  const { trainer, records } = setUp();
  const { best } = await trainer.fit({ ...FIT, validation: regression(4, 3) });
  expect(records()[0].best).toEqual(best);
  expect(best).toMatchObject({ metric: 'val/loss' });
});
