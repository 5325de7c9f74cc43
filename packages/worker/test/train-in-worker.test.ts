import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hook, HookFatalError } from '@hookline/hook-api';
import { progress } from '@hookline/hook-progress';
import { collectingLogger, errorOf, folderPerTest } from '@hookline/test-support';
import { type TensorCopy, trainInWorker } from '@hookline/worker';
import { expect, test } from 'vitest';
import { train } from './support/train.js';
import trainHere from './support/training-program.js';

const EPOCHS = 6;
const folders = folderPerTest();

test('training in a worker gives the bits of training without one, with or without hooks on this side', async () => {
  const { trainer, fit } = await trainHere({ epochs: EPOCHS });
  const expected = await trainer.fit(fit);

  const alone = await (await train({ epochs: EPOCHS })).training;
  const seen: string[] = [];
  const watching: Hook = {
    name: 'watching',
    onTrainStart: (ctx, { epochs }) => void seen.push(`start ${epochs} ${ctx.state.backend} ${ctx.run.seed}`),
    onTrainBatchEnd: (_ctx, { batchIndex, loss }) => void seen.push(`batch ${batchIndex} ${loss}`),
    onEpochEnd: (ctx, { epoch, metrics }) =>
      void seen.push(`epoch ${epoch} ${ctx.state.step} ${metrics['train/loss']} ${Math.random() < 2}`),
    teardown: () => void seen.push('teardown'),
  };
  const watched = await (await train({ epochs: EPOCHS }, { hooks: [watching] })).training;

  for (const result of [alone, watched]) {
    expect(result.history).toEqual(expected.history);
    expect(result.metrics).toEqual(expected.metrics);
    expect(result.status).toBe('completed');
  }
  expect(Object.keys(expected.metrics).filter((name) => name.startsWith('weight/'))).toHaveLength(17);
  expect(seen[0]).toBe(`start ${EPOCHS} cpu 5`);
  expect(seen.filter((line) => line.startsWith('batch'))).toHaveLength(4 * EPOCHS);
  const epochs = seen.filter((line) => line.startsWith('epoch'));
  expect(epochs).toEqual(
    expected.history.map(
      (metrics, epoch) => `epoch ${epoch} ${4 * (epoch + 1)} ${metrics['train/loss']} true`,
    ),
  );
  expect(seen.at(-1)).toBe('teardown');
});

test('progress shows on this side how far the worker is', async () => {
  const shown: string[] = [];
  const stream = { write: (text: string) => shown.push(text) > 0 };
  await (await train({ epochs: 2 }, { hooks: [progress({ stream })] })).training;
  expect(shown.join('')).toMatch(/epoch 1\/2.*4\/4[\s\S]*epoch 2\/2.*loss/);
});

test('verbs of a hook on this side act in the worker; another that fails there disturbs nothing', async () => {
  const scales: number[] = [];
  const logger = collectingLogger();
  const failing: Hook = {
    name: 'failing',
    onEpochEnd() {
      throw new Error('oops');
    },
  };
  const acting: Hook = {
    name: 'acting',
    onTrainStart(ctx) {
      ctx.log({ 'page/answer': 42 });
      ctx.state.optimizers[0]!.groups[0]!.lrScale = 0.5;
    },
    onEpochEnd(ctx) {
      scales.push(ctx.state.optimizers[0]!.groups[0]!.lrScale);
      if (scales.at(-1) === 0.5) ctx.stop('seen from the page');
    },
  };
  const { training } = await train({ epochs: 1e6 }, { hooks: [acting, failing], logger });
  const { status, stopReason, metrics } = await training;
  expect([status, stopReason]).toEqual(['stopped', 'seen from the page']);
  expect(metrics['page/answer']).toBe(42);
  expect(logger.lines.map(({ message }) => message)).toContain(
    'Hook "failing" failed in onEpochEnd at step 4: oops',
  );
});

test('a page that hangs does not stall training, and gets what happened once it is back', async () => {
  const events: string[] = [];
  const hanging: Hook = {
    name: 'hanging',
    async onStepEnd(ctx, { step }) {
      if (step === 1) await until(() => statusIn(ctx.run.dir!) === 'completed');
    },
    onTrainEnd: () => void events.push('end'),
    teardown: () => void events.push('teardown'),
  };
  const { training } = await train({ epochs: EPOCHS, runsDir: folders.path }, { hooks: [hanging] });
  expect((await training).status).toBe('completed');
  expect(events).toEqual(['end', 'teardown']);
});

test('tensors of events stay in the worker, unless copies are asked for', async () => {
  const messages: string[] = [];
  const copies: unknown[] = [];
  const reading: Hook = {
    name: 'reading',
    onTrainBatchEnd: async (_ctx, event) => {
      messages.push((await errorOf(() => event.batch)).message);
    },
    onGradientsReady: (_ctx, { gradients }) => void copies.push(...Object.entries(gradients)),
  };
  await (await train({ epochs: 1 }, { hooks: [reading], tensors: ['gradients'] })).training;
  expect(messages[0]).toMatch(/"batch" of onTrainBatchEnd holds tensors, which stay in the worker/);
  expect(messages[0]).toContain('tensors: ["batch"]');
  const [path, copy] = copies[0] as [string, TensorCopy];
  expect(path).toBe('dense_1/kernel');
  expect(copy.shape).toEqual([2, 4]);
  expect(copy.dataSync().some((value) => value !== 0)).toBe(true);
});

test('a worker that dies of an error rejects with WORKER_DIED, and hooks of this side are torn down', async () => {
  const heard: string[] = [];
  const hook: Hook = {
    name: 'listening',
    onStepEnd() {},
    onException: (_ctx, { error }) => void heard.push((error as { code: string }).code),
    teardown: () => void heard.push('teardown'),
  };
  const { training } = await train({ epochs: 1e4, dieAtStep: 100, how: 'throw' }, { hooks: [hook] });
  const error = await errorOf(training);
  expect(error).toMatchObject({ code: 'WORKER_DIED', cause: { message: 'nobody caught this' } });
  expect(error.message).toMatch(/after step \d+.*nobody caught this.*resume: 'auto'/);
  expect(heard).toEqual(['WORKER_DIED', 'teardown']);
});

test('after its worker has died, the same call continues to the bits of a run that was not interrupted', async () => {
  const { trainer, fit } = await trainHere({ epochs: EPOCHS });
  const expected = await trainer.fit(fit);
  const settings = { epochs: EPOCHS, runsDir: folders.path };
  const killed = await train({ ...settings, dieAtStep: 13, how: 'exit' });
  await expect(killed.training).rejects.toMatchObject({ code: 'WORKER_DIED', message: /exit code 3/ });
  const resumed = await (await train(settings)).training;
  expect(resumed.steps).toBe(4 * EPOCHS - 10);
  expect(resumed.metrics).toEqual(expected.metrics);
  expect(resumed.history).toEqual(expected.history.slice(2));
});

test('terminate() ends the worker at once', async () => {
  const { training } = await train({ epochs: 1e6 });
  training.terminate();
  await expect(training).rejects.toMatchObject({ code: 'WORKER_DIED', message: /terminate\(\) was called/ });
});

test('a hook of this side that must end the run ends it, and its error is the result', async () => {
  const strict: Hook = {
    name: 'strict',
    onEpochEnd() {
      throw new HookFatalError('not like this');
    },
  };
  const { training } = await train({ epochs: 1e6 }, { hooks: [strict] });
  await expect(training).rejects.toThrow('not like this');
});

test.for([
  [{ transformBatch() {} }, /transformBatch changes training/],
  [{ onForward() {} }, /onForward is called inside the gradient tape/],
  [{ saveState: () => 1 }, /saveState is asked for when a checkpoint is written/],
] as const)('a hook that can only work in the worker is refused: %s', async ([methods, reason]) => {
  const error = await errorOf(() =>
    trainInWorker('./never.js', { hooks: [{ name: 'mine', ...methods } as Hook] }),
  );
  expect(error).toMatchObject({ code: 'WORKER_HOOK', message: reason });
});

test('mistakes are named: options, settings, a module without a training, a hook on both sides, an unknown tensor', async () => {
  const wrong = await train({ epochs: -1 });
  await expect(wrong.training).rejects.toMatchObject({ code: 'BAD_OPTIONS', message: /epochs is -1/ });
  const { training } = await train({ epochs: 1, how: (() => {}) as never });
  await expect(training).rejects.toMatchObject({ code: 'WORKER_SETTINGS' });
  const broken = await train({ epochs: 1, brokenTraining: true });
  await expect(broken.training).rejects.toMatchObject({ code: 'NOT_A_TRAINING' });
  const twice = await train(
    { epochs: 1, onBothSides: 'mine' },
    { hooks: [{ name: 'mine', onEpochEnd() {} }] },
  );
  await expect(twice.training).rejects.toMatchObject({ code: 'WORKER_HOOK', message: /too\. Leave one/ });
  const error = await errorOf(() => trainInWorker('./never.js', { tensors: ['gradient' as never] }));
  expect(error).toMatchObject({ code: 'WORKER_OPTIONS', message: /Did you mean "gradients"/ });
  const empty = trainInWorker(new URL('data:text/javascript,'));
  await expect(empty).rejects.toMatchObject({ code: 'WORKER_DIED', message: /calls defineTraining/ });
});

function statusIn(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).status;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}
