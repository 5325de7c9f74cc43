import type { Hook } from '@hookline/hook-api';
import { readsPerBatch, samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type MlflowOptions, mlflow } from '../../src/index.js';
import { MlflowServer } from './mlflow-server.js';

const folder = folderPerTest();
let server: MlflowServer;
beforeEach(async () => {
  for (const name of ['TRACKING_URI', 'TRACKING_TOKEN', 'TRACKING_USERNAME', 'TRACKING_PASSWORD'])
    vi.stubEnv(`MLFLOW_${name}`, '');
  for (const name of ['EXPERIMENT_NAME', 'EXPERIMENT_ID']) vi.stubEnv(`MLFLOW_${name}`, '');
  server = await new MlflowServer().start();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

const FIT = { train: samples(80), validation: samples(8), epochs: 2, batchSize: 2 };

async function run(options: MlflowOptions = {}, hooks: Hook[] = [], hyperparameters = {}) {
  const hook = mlflow({ uri: server.uri, ...options });
  const { trainer, complaints } = tinyRun([...hooks, hook], { runsDir: folder.path, hyperparameters });
  const result = await trainer.fit(FIT).catch(() => undefined);
  return { trainer, complaints, result, history: result?.history ?? [] };
}

test('a run there has the curves of the run here, its config and how it ended', async () => {
  const { history, result, complaints } = await run({ every: 10, experiment: 'digits' });
  expect(complaints).toEqual([]);
  expect(server.violations).toEqual([]);
  expect(server.curve('train/loss')).toEqual({
    40: history[0]!['train/loss'],
    80: history[1]!['train/loss'],
  });
  expect(server.curve('val/loss')).toEqual({ 40: history[0]!['val/loss'], 80: history[1]!['val/loss'] });
  expect(Object.keys(server.curve('batch/loss'))).toEqual(['10', '20', '30', '40', '50', '60', '70', '80']);
  expect(server.metrics.filter(({ key }) => key === 'val/loss')).toHaveLength(2);
  expect(server.params).toMatchObject({ epochs: '2', batchSize: '2', 'optimizer.lr': '0.01' });
  expect(server.tags['mlflow.runName']).toBe(result!.runDir.split('/').at(-1));
  expect(server.experiments).toEqual({ Default: '0', digits: '1' });
  expect(server.requests.find(({ path }) => path === 'runs/create')!.body.experiment_id).toBe('1');
  expect(server.status).toBe('FINISHED');
});

test('a test after the fit belongs to the same run, at the step where the fit ended', async () => {
  const { trainer } = await run();
  await trainer.test({ data: samples(4) });
  expect(server.runs).toBe(1);
  expect(Object.keys(server.curve('test/loss'))).toEqual(['80']);
  expect(server.status).toBe('FINISHED');
});

test('whatever is logged, no request is beyond the documented limits', async () => {
  const names = Array.from({ length: 2500 }, (_, i) => `my/${'long '.repeat(60)}${i}`);
  const odd = ['a/"quoted"', 'a//b', '/a/b', 'a/../b', 'a/b/', 'a/ünïcode 損失', './a'];
  const logs: Hook = {
    name: 'logs',
    onTrainBatchEnd(ctx, { batchIndex }) {
      if (batchIndex > 3) return;
      ctx.log(Object.fromEntries(names.map((name, i) => [`${i}/${name}`, i])));
      ctx.log(Object.fromEntries([...odd, 'a/nan', 'a/inf'].map((name) => [name, 1])));
      ctx.log({ 'a/nan': Number.NaN, 'a/inf': Infinity });
    },
  };
  const settings = Object.fromEntries(
    Array.from({ length: 250 }, (_, i) => [`setting ${i} ${'x'.repeat(i * 2)}`, 'ü"'.repeat(i * 20)]),
  );
  const { complaints } = await run({}, [logs], settings);
  expect(server.violations).toEqual([]);
  expect(server.metrics.filter(({ key }) => /^\d+\/my/.test(key as string)).length).toBe(2 * 4 * 2500);
  expect(server.requests.filter(({ path }) => path === 'runs/log-batch').length).toBeGreaterThan(19);
  expect(Object.keys(server.params).filter((name) => name.includes('setting '))).toHaveLength(250);
  // The numbers that cannot be sent are reported.
  expect(server.tags['hookline.not-finite']).toBe('a/nan, a/inf at step 1');
  expect(complaints).toEqual([expect.stringContaining('a/nan, a/inf at step 1')]);
  expect(server.status).toBe('FINISHED');
});

test('a stopped run says why, a failed one that it failed', async () => {
  await run({}, [{ name: 'stopper', onTrainBatchEnd: (ctx) => ctx.stop('enough for today') }]);
  expect(server.status).toBe('FINISHED');
  expect(server.tags['hookline.stop-reason']).toBe('enough for today');
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd: () => {
      throw new Error('no more');
    },
  };
  await run({}, [failing]);
  expect(server.status).toBe('FAILED');
});

test('address, experiment and credentials come from the environment as well, and credentials are never shown', async () => {
  vi.stubEnv('MLFLOW_TRACKING_URI', server.uri);
  vi.stubEnv('MLFLOW_EXPERIMENT_NAME', 'from-env');
  vi.stubEnv('MLFLOW_TRACKING_TOKEN', 'secret-token');
  await tinyRun([mlflow()]).trainer.fit(FIT);
  expect(server.experiments).toHaveProperty('from-env');
  expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
    new Set(['Bearer secret-token']),
  );

  server.requests.length = 0;
  vi.stubEnv('MLFLOW_TRACKING_USERNAME', 'ann');
  vi.stubEnv('MLFLOW_TRACKING_PASSWORD', 'secret-word');
  await run();
  const basic = `Basic ${Buffer.from('ann:secret-word').toString('base64')}`;
  expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set([basic]));

  for (const name of ['TOKEN', 'USERNAME', 'PASSWORD']) vi.stubEnv(`MLFLOW_TRACKING_${name}`, '');
  server.requests.length = 0;
  server.onRequest = () => ({ status: 403, body: { error_code: 'PERMISSION_DENIED', message: 'no' } });
  const { complaints } = await run({ uri: server.uri.replace('//', '//ann:secret%2Fword@') });
  expect(server.requests[0]!.authorization).toBe(
    `Basic ${Buffer.from('ann:secret/word').toString('base64')}`,
  );
  expect(complaints).toEqual([
    expect.stringMatching(/answered 403: no\. The run continues without this log\.$/),
  ]);
  expect(complaints.join()).not.toContain('secret');
});

test('a refusal that will not change is not tried again, trouble that may pass is', async () => {
  let troubles = 0;
  server.onRequest = ({ path }) =>
    path === 'runs/log-batch' && troubles++ < 2
      ? { status: 503, headers: { 'retry-after': '0' } }
      : undefined;
  const { complaints, history } = await run();
  expect(complaints).toEqual([]);
  expect(server.curve('val/loss')).toEqual({ 40: history[0]!['val/loss'], 80: history[1]!['val/loss'] });

  server.requests.length = 0;
  server.onRequest = () => ({ status: 400, body: { error_code: 'BAD_REQUEST', message: 'never' } });
  const refused = await run();
  expect(server.requests).toHaveLength(1);
  expect(refused.complaints).toEqual([expect.stringContaining('answered 400: never')]);
});

test('a server that does not answer holds up no step, and what was logged meanwhile is not lost', async () => {
  let release = () => {};
  const trained = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.onRequest = async () => void (await trained);
  let answeredBefore = -1;
  const watcher: Hook = {
    name: 'watcher',
    onTrainEnd: () => {
      answeredBefore = server.runs;
      release();
    },
  };
  const { history } = await run({ every: 1 }, [watcher]);
  expect(answeredBefore).toBe(0);
  expect(Object.keys(server.curve('batch/loss'))).toHaveLength(80);
  expect(server.curve('train/loss')).toEqual({
    40: history[0]!['train/loss'],
    80: history[1]!['train/loss'],
  });
});

test('a server that is dead, or dies, is reported once, and training is what it would have been', async () => {
  const outcome = async (hooks: Hook[]) => {
    const { trainer, weights, complaints } = tinyRun(hooks);
    const { history } = await trainer.fit(FIT);
    return { history, weights: await weights(), complaints };
  };
  const { history, weights } = await outcome([]);
  const { uri } = server;
  server.onRequest = ({ path }) => {
    if (path === 'runs/log-batch') void server.stop();
    return undefined;
  };
  for (let round = 0; round < 2; round++) {
    const logged = await outcome([mlflow({ uri, every: 1, retries: 0 })]);
    expect(logged.history).toEqual(history);
    expect(logged.weights).toEqual(weights);
    expect(logged.complaints).toEqual([
      expect.stringMatching(
        /^mlflow cannot log: http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*The run continues/,
      ),
    ]);
  }
});

test('the end of the run waits no longer than timeoutMs', async () => {
  server.onRequest = () => new Promise(() => {});
  const { result, complaints } = await run({ timeoutMs: 50, retries: 1000 });
  expect(result!.status).toBe('completed');
  expect(complaints).toEqual([expect.stringContaining('did not answer within 50 ms')]);
});

test('a redirect is not followed', async () => {
  server.onRequest = () => ({ status: 307, headers: { location: `${server.uri}/elsewhere` } });
  const { complaints } = await run({ retries: 0 });
  expect(server.requests).toHaveLength(1);
  expect(complaints).toHaveLength(1);
});

test('without an address, or with a wrong one, the run continues', async () => {
  expect((await run({ uri: '' })).complaints).toEqual([expect.stringContaining('MLFLOW_TRACKING_URI')]);
  expect((await run({ uri: 'databricks' })).complaints).toEqual([
    expect.stringContaining('http://localhost:5000'),
  ]);
});

test('a batch without a point reads nothing from the device', async () => {
  const without = await readsPerBatch([], 40);
  const counts = await readsPerBatch([mlflow({ uri: server.uri, every: 15 })], 40);
  expect(counts.flatMap((count, batch) => (count === without[batch] ? [] : [batch]))).toEqual([14, 29]);
});
