import { Worker } from 'node:worker_threads';
import type { Hook } from '@hookline/hook-api';
import { collectingLogger, errorOf } from '@hookline/test-support';
import { trainInWorker, type WorkerTraining } from '@hookline/worker';
import { describe, expect, test } from 'vitest';
import { host } from '../src/host/node.js';
import { MARK } from '../src/messages.js';
import { eventMessage } from './support/messages.js';

/** A thread that speaks for itself: what it answers to each message is JavaScript, with `say` and the `message`. */
function speaking(onMessage: string, hooks: Hook[] = []): { training: WorkerTraining; logger: Logger } {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const say = (message) => parentPort.postMessage({ ${MARK}: message });
    const ended = { type: 'ended', result: { status: 'completed', exitCode: 0, hookCosts: [], heard: [] } };
    const heard = [];
    parentPort.on('message', ({ ${MARK}: message }) => { heard.push(message); ${onMessage} });
    parentPort.postMessage('not ours');
    parentPort.postMessage({ other: 1 });
    parentPort.postMessage(undefined);
    say({ type: 'hello' });`;
  const logger = collectingLogger();
  const start = () => new Worker(code, { eval: true });
  return {
    training: trainInWorker(start, { hooks, logger, settings: { epochs: 3 }, signals: false }),
    logger,
  };
}

type Logger = ReturnType<typeof collectingLogger>;

const END = 'ended.result.heard = heard; say(ended);';

describe('what is said to a worker', () => {
  test('is how to train, once it is there: settings, events, names and tensors', async () => {
    const hook: Hook = { name: 'mine', needs: ['outputs'], onEpochEnd() {} };
    const { training } = speaking(`if (message.type === 'train') { ${END} }`, [hook]);
    const { heard } = (await training) as unknown as { heard: object[] };
    expect(heard).toEqual([
      expect.objectContaining({
        ...{ type: 'train', settings: { epochs: 3 }, hooks: ['mine'], tensors: ['outputs'] },
        events: expect.arrayContaining(['setup', 'onEpochEnd']),
        life: expect.stringMatching(/^hookline-/),
      }),
    ]);
  });

  test('before it is there waits, and comes after that in its order', async () => {
    const { training } = speaking(`if (message.verb === 'stop') { ${END} }`);
    training.requestValidation();
    training.requestCheckpoint();
    training.stop();
    const { heard } = (await training) as unknown as {
      heard: { type: string; verb?: string; reason?: string }[];
    };
    expect(heard.map(({ type, verb, reason }) => [type, verb, reason])).toEqual([
      ['train', undefined, undefined],
      ['verb', 'requestValidation', undefined],
      ['verb', 'requestCheckpoint', 'requestCheckpoint() was called'],
      ['verb', 'stop', 'stop() was called'],
    ]);
  });

  test('after the end is nothing', async () => {
    const { training } = speaking(`if (message.type === 'train') { ${END} }`);
    await training;
    training.stop();
    training.terminate();
    training.requestValidation();
    expect((await training).status).toBe('completed');
  });
});

describe('what a worker says', () => {
  const events = (...names: Parameters<typeof eventMessage>[0][]) =>
    JSON.stringify(names.map((name) => eventMessage(name)));

  test('reaches the hooks, and is answered with how many events were dealt with', async () => {
    const seen: string[] = [];
    const hook: Hook = {
      name: 'seeing',
      setup: () => void seen.push('setup'),
      onTrainEnd: () => void seen.push('end'),
      teardown: () => void seen.push('teardown'),
    };
    const { training } = speaking(
      `if (message.type === 'train') say({ type: 'events', events: ${events('setup', 'onTrainEnd', 'teardown')}, leftOut: 0 });
       if (message.type === 'done-with') { ${END} }`,
      [hook],
    );
    const { heard, hookCosts } = (await training) as unknown as {
      heard: object[];
      hookCosts: { name: string }[];
    };
    expect(seen).toEqual(['setup', 'end', 'teardown']);
    expect(heard.at(-1)).toEqual({ type: 'done-with', events: 3 });
    expect(JSON.stringify(hookCosts)).toContain('seeing');
  });

  test('that events were left out is counted, and told once', async () => {
    const { training, logger } = speaking(
      `if (message.type !== 'train') return;
       for (const leftOut of [0, 3, 8]) say({ type: 'events', events: [], leftOut }); ${END}`,
    );
    await training;
    expect(training.leftOut).toBe(8);
    const told = logger.lines.filter(({ message }) => message.includes('slower than training'));
    expect(told).toHaveLength(1);
  });

  test('that it failed is the error of the training, not of a death', async () => {
    const error = { name: 'HooklineError', message: 'xs is empty', code: 'BAD_DATA', isFatal: false };
    const { training } = speaking(
      `if (message.type === 'train') { say({ type: 'failed', error: ${JSON.stringify(error)} }); process.exit(3); }`,
    );
    expect(await errorOf(training)).toMatchObject({ code: 'BAD_DATA', message: 'xs is empty' });
  });

  test('nothing more, and ends: it died, before training began or after the step that is known', async () => {
    const early = speaking(`process.exit(5);`);
    expect(await errorOf(early.training)).toMatchObject({
      code: 'WORKER_DIED',
      message: expect.stringMatching(/before training began: it ended with exit code 5.*defineTraining/),
    });
    const late = speaking(
      `if (message.type === 'train') say({ type: 'events', events: ${events('setup')}, leftOut: 0 });
       else process.exit(6);`,
    );
    expect((await errorOf(late.training)).message).toMatch(/after step 0, as far as is known here: .*code 6/);
  });
});

describe('the half of Node', () => {
  test('listens to signals until the first one, or until it is told not to', () => {
    const before = process.listenerCount('SIGHUP');
    const heard: string[] = [];
    const remove = host.onSignal((signal) => void heard.push(signal));
    expect(process.listenerCount('SIGHUP')).toBe(before + 1);
    process.emit('SIGHUP', 'SIGHUP');
    expect([heard, process.listenerCount('SIGHUP')]).toEqual([['SIGHUP'], before]);
    remove();
    host.onSignal(() => {})();
    expect(process.listenerCount('SIGHUP')).toBe(before);
  });

  test('reports an exit code, unless the program has one', () => {
    const before = process.exitCode;
    try {
      process.exitCode = undefined;
      host.reportExitCode(0);
      expect(process.exitCode).toBeUndefined();
      host.reportExitCode(3);
      host.reportExitCode(4);
      expect(process.exitCode).toBe(3);
    } finally {
      process.exitCode = before;
    }
  });

  test('is not one of our workers here, and refuses what is not a thread', () => {
    expect(host.mainSide(() => {})).toBeUndefined();
    expect(() => host.startWorker(() => ({}), { onMessage() {}, onDeath() {} })).toThrow(
      /did not return a Worker of node:worker_threads/,
    );
  });
});
