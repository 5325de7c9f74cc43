import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { type Hook, kindsOf } from '@hookline/hook-api';
import { drivenHook, scriptedLosses } from '@hookline/test-runs';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test, vi } from 'vitest';
import { type NotifyOptions, notify, type Payload } from '../src/index.js';
import { receiver } from './receiver.js';

/** The messages that a run with these validation losses sends. */
async function messagesOf(
  losses: readonly number[],
  options: NotifyOptions,
  ...hooks: Hook[]
): Promise<Payload[]> {
  const { url, received } = await receiver();
  const run = scriptedLosses(losses, [...hooks, notify({ webhook: url, ...options })], { batchSize: 1 });
  await run.fit();
  expect(run.warnings('notify')).toEqual([]);
  return received.map(({ body }) => body as Payload);
}

test('the end of a run is reported with its status, its length and its metrics', async () => {
  const [message, ...others] = await messagesOf([0.5, 0.25], {});
  expect(others).toEqual([]);
  expect(message).toMatchObject({
    version: 1,
    event: 'end',
    epoch: 1,
    step: 4,
    run: { id: expect.any(String), configHash: expect.any(String), gitCommit: expect.any(String) },
    metrics: { 'val/loss': 0.25, 'train/loss': expect.any(Number) },
  });
  expect(message!.text).toMatch(
    /^Run \S+ completed after 2 epochs, 4 steps, [\d.]+ s\.\nval\/loss 0\.25, train\/loss [\d.e-]+$/,
  );
});

test('a run that was stopped says why, and where it was', async () => {
  const stopper: Hook = { name: 'stopper', onEpochEnd: (ctx) => ctx.stop('good enough') };
  const [message] = await messagesOf([0.5, 0.4], {}, stopper);
  expect(message).toMatchObject({ event: 'end', stopReason: 'good enough' });
  expect(message!.text).toContain('stopped after 1 epoch, 2 steps');
  const early: Hook = {
    name: 'early',
    onStepEnd: (ctx, { step }) => (step === 3 ? ctx.stop('enough') : undefined),
  };
  const [cut] = await messagesOf([0.5, 0.4], {}, early);
  expect(cut!.text).toMatch(/ stopped in epoch 2, after 3 steps, [\d.]+ s: enough\.\n/);
  expect(message!.text).toContain(': good enough.');
});

test('a failure is reported in one line, without the folder of the user, and reaches the caller as it was', async () => {
  const error = new TypeError(`cannot read ${homedir()}/secret-project/x\nstack and all`);
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd() {
      throw error;
    },
  };
  const { url, received } = await receiver();
  const run = scriptedLosses([0.5], [failing, notify({ webhook: url })]);
  await expect(run.fit()).rejects.toBe(error);
  expect(received).toHaveLength(1);
  expect(received[0]!.body).toMatchObject({
    event: 'failure',
    error: 'TypeError: cannot read ~/secret-project/x',
    text: expect.stringMatching(/ failed after 1 epoch, .*: TypeError: cannot read ~\/secret-project\/x\n/),
  });
});

test('a new best and a plateau are reported when they happen', async () => {
  const losses = [0.5, 0.4, 0.39995, 0.41, 0.42, 0.43, 0.3, 0.31];
  const messages = await messagesOf(losses, { on: ['start', 'best', 'plateau', 'end'], plateau: 3 });
  expect(messages.map(({ event, epoch }) => [event, epoch])).toEqual([
    ['start', 0],
    ['best', 1],
    ['plateau', 4],
    ['best', 6],
    ['end', 7],
  ]);
  expect(messages[0]!.text).toMatch(/^Run \S+ started: 8 epochs\.$/);
  expect(messages[1]!.text).toContain('has a new best val/loss: 0.4, after 0.5.\nval/loss 0.4');
  expect(messages[2]!.text).toContain(
    'is on a plateau: val/loss did not improve by 0.0001 for 3 checks; best 0.4 in epoch 2.',
  );
});

test('higher is better with mode max, and NaN never is', async () => {
  const losses = [0.1, Number.NaN, 0.3, 0.2, Infinity];
  const messages = await messagesOf(losses, { on: ['best'], mode: 'max' });
  expect(messages.map(({ epoch }) => epoch)).toEqual([2]);
});

test('a metric of training is compared after each epoch', async () => {
  const messages = await messagesOf([1, 1, 1], { on: ['best'], monitor: 'train/loss' });
  expect(messages.map(({ epoch }) => epoch)).toEqual([1, 2]);
});

test('a metric that does not exist is reported once, with the nearest name', async () => {
  const { url, received } = await receiver();
  const run = scriptedLosses([3, 2, 1], [notify({ webhook: url, on: ['best'], monitor: 'val/los' })]);
  await run.fit();
  expect(received).toEqual([]);
  expect(run.warnings('notify')).toEqual([
    expect.stringMatching(
      /^notify monitors "val\/los", but there is no such metric\. Did you mean "val\/loss"\?/,
    ),
  ]);
});

test('numbers that JSON does not know arrive as text', async () => {
  const [message] = await messagesOf([Number.NaN], {});
  expect(message!.metrics['val/loss']).toBe('NaN');
  expect(message!.text).toContain('val/loss NaN');
});

test('a message is at most 2,000 characters long, and no character is cut in two', async () => {
  const long: Hook = { name: 'long', onEpochEnd: (ctx) => ctx.stop('🦉'.repeat(2000)) };
  const [message] = await messagesOf([1], {}, long);
  expect(message!.text.length).toBeLessThanOrEqual(2000);
  expect(message!.text.length).toBeGreaterThan(1990);
  expect(message!.text).toMatch(/🦉…$/u);
});

test('the address comes from the environment; without one nothing is sent, and the run says so', async () => {
  const { url, received } = await receiver();
  vi.stubEnv('MY_WEBHOOK', `${url}\n`);
  vi.stubEnv('HOOKLINE_WEBHOOK_URL', undefined);
  try {
    await scriptedLosses([0.5], [notify({ webhookEnv: 'MY_WEBHOOK' })]).fit();
    expect(received).toHaveLength(1);
    const without = scriptedLosses([0.5], [notify()]);
    expect((await without.fit()).status).toBe('completed');
    expect(without.warnings('notify')).toEqual([
      'notify sends nothing: the environment variable HOOKLINE_WEBHOOK_URL is not set.',
    ]);
    vi.stubEnv('HOOKLINE_WEBHOOK_URL', url);
    await scriptedLosses([0.5], [notify()]).fit();
    expect(received).toHaveLength(2);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a resumed run compares with the best that its checkpoint holds', async () => {
  const state = { best: 0.4, bestEpoch: 3, wait: 2 };
  const hook = notify({ webhook: 'http://127.0.0.1:1/' });
  drivenHook(hook).fire('setup', { stage: 'fit' });
  hook.loadState!(state);
  expect(JSON.parse(JSON.stringify(hook.saveState!()))).toEqual(state);
  hook.loadState!({ best: null, bestEpoch: null, wait: 0 });
  expect(hook.saveState!()).toEqual({ best: null, bestEpoch: null, wait: 0 });
  hook.loadState!(null); // saved while the hook was off
  expect(hook.saveState!()).toEqual({ best: null, bestEpoch: null, wait: 0 });
  expect(() => hook.loadState!({ loss: 1 })).toThrow(/Hook "notify" was given.*\{ best, bestEpoch, wait \}/);
});

test('training is the same to the bit with it and without, and it keeps no tensor', async () => {
  const { url } = await receiver();
  const losses = [0.5, 0.4, 0.3];
  const without = scriptedLosses(losses, []);
  await without.fit();
  const watched = scriptedLosses(losses, [notify({ webhook: url, on: ['start', 'end', 'best', 'plateau'] })]);
  const { numTensors } = tf.memory();
  await watched.fit();
  expect(watched.weights).toEqual(without.weights);
  expect(tf.memory().numTensors).toBe(numTensors);
});

test('the hook of the manifest has its name and its kinds, and is on only when it is named', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual(['notify']);
  expect(trainerHooks.hooks.notify).toMatchObject({ export: 'notify', autoload: false });
  expect(notify().name).toBe('notify');
  const everything = notify({ on: ['start', 'end', 'failure', 'best', 'plateau'] });
  expect(kindsOf(everything)).toEqual(trainerHooks.hooks.notify.kinds);
});

test('a fastDevRun sends nothing, and the next run does', async () => {
  const { url, received } = await receiver();
  const { trainer, warnings } = scriptedLosses([1, 1], [notify({ webhook: url, on: ['start', 'end'] })]);
  const data = { xs: tf.tensor2d([[1], [2]]), ys: tf.tensor2d([[2], [4]]) };
  await trainer.fit({ train: data, epochs: 1, fastDevRun: true });
  expect(received).toEqual([]);
  await trainer.fit({ train: data, epochs: 1 });
  expect(received).toHaveLength(2);
  expect(warnings('notify')).toEqual([]);
});
