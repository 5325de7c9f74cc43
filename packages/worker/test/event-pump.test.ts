import { type Hook, HookFatalError, HookManager } from '@hookline/hook-api';
import { collectingLogger, errorOf } from '@hookline/test-support';
import { describe, expect, test, vi } from 'vitest';
import { host } from '#host';
import { EventPump } from '../src/main/event-pump.js';
import { Mirror } from '../src/main/mirror.js';
import { toPlain } from '../src/plain-error.js';
import { eventMessage, stateMessage } from './support/messages.js';

/** The second that it waits otherwise is short on a busy machine. */
const PATIENCE = { timeout: 200_000, interval: 1 };

/** A pump with hooks, and what it answers to the worker. */
function pumpOf(...hooks: Hook[]) {
  const answers: number[] = [];
  const logger = collectingLogger();
  const manager = new HookManager();
  for (const hook of hooks) manager.add(hook);
  const pump = new EventPump(manager, new Mirror(() => {}, logger), (events) => void answers.push(events));
  return { pump, answers, logger };
}

/** Notes every event that it gets. */
function noting(heard: string[], more: Partial<Hook> = {}): Hook {
  return {
    name: 'noting',
    setup: () => void heard.push('setup'),
    onStepEnd: (ctx, { step }) => void heard.push(`step ${step} of ${ctx.state.step}`),
    onException: (_ctx, { error }) => void heard.push(`exception ${(error as Error).message}`),
    teardown: () => void heard.push('teardown'),
    ...more,
  };
}

const step = (number: number) =>
  eventMessage('onStepEnd', { payload: { step: number }, state: stateMessage({ step: number }) });

describe('events', () => {
  test('reach the hooks in their order, each with the state of its moment', async () => {
    const heard: string[] = [];
    const { pump, answers } = pumpOf(noting(heard));
    void pump.take([eventMessage('setup'), step(1)]);
    await pump.take([step(2), step(3), eventMessage('teardown')]);
    expect(heard).toEqual(['setup', 'step 1 of 1', 'step 2 of 2', 'step 3 of 3', 'teardown']);
    expect(answers).toEqual([2, 3]);
  });

  test('wait for a slow hook, and are answered only then', async () => {
    const heard: string[] = [];
    let goOn = () => {};
    const slow = noting(heard, {
      onStepEnd: (_ctx, event) =>
        new Promise<void>((resolve) => {
          heard.push(`begins ${event.step}`);
          goOn = resolve;
        }),
    });
    const { pump, answers } = pumpOf(slow);
    await pump.take([eventMessage('setup')]);
    const taking = pump.take([step(1), step(2)]);
    await vi.waitUntil(() => heard.includes('begins 1'), PATIENCE);
    expect(answers).toEqual([1]);
    goOn();
    await vi.waitUntil(() => heard.includes('begins 2'), PATIENCE);
    goOn();
    await taking;
    expect(answers).toEqual([1, 2]);
  });

  test('are dealt with before it is settled', async () => {
    const heard: string[] = [];
    const { pump } = pumpOf(noting(heard));
    void pump.take([eventMessage('setup'), step(1)]);
    await pump.settled();
    expect(heard).toEqual(['setup', 'step 1 of 1']);
    await pump.settled();
  });

  test('give way to the page when hooks have held it for half a frame', async () => {
    const ways = vi.spyOn(host, 'giveWay');
    const now = vi.spyOn(performance, 'now');
    let time = 0;
    now.mockImplementation(() => time);
    try {
      const slow = () => {
        time += 5;
      };
      const { pump } = pumpOf(noting([], { onStepEnd: slow }));
      await pump.take([eventMessage('setup'), ...[1, 2, 3, 4, 5, 6].map(step)]);
      // 5 ms each: after every second step, more than 8 ms have passed.
      expect(ways).toHaveBeenCalledTimes(2);
    } finally {
      now.mockRestore();
      ways.mockRestore();
    }
  });

  test('nobody listens to are left alone', async () => {
    const { pump, answers } = pumpOf({ name: 'quiet' });
    await pump.take([eventMessage('setup'), step(1), eventMessage('onEpochEnd')]);
    expect(answers).toEqual([3]);
  });
});

describe('what an event holds', () => {
  const seen = async (event: Parameters<typeof eventMessage>[1]) => {
    let payload: Record<string, unknown> = {};
    const { pump } = pumpOf({
      name: 'reading',
      onTrainBatchEnd(_ctx, found) {
        payload = found as never;
      },
    });
    await pump.take([eventMessage('setup'), eventMessage('onTrainBatchEnd', event)]);
    return payload;
  };

  test('cannot be changed', async () => {
    const payload = await seen({ payload: { loss: 1 } });
    expect(() => Object.assign(payload, { loss: 2 })).toThrow(TypeError);
  });

  test('is an error where it has stayed in the worker, which says how to get it', async () => {
    const payload = await seen({ payload: { loss: 1 }, withheld: ['batch', 'snapshot'] });
    expect(payload.loss).toBe(1);
    expect((await errorOf(() => payload.batch)).message).toMatch(/tensors: \["batch"\]/);
    expect((await errorOf(() => payload.snapshot)).message).toMatch(/Pass the hook to the Trainer/);
    expect({ ...payload }).toEqual({ loss: 1 });
  });

  test('is a copy where copies were asked for', async () => {
    const copy = { dtype: 'float32' as const, shape: [2], data: new Float32Array([1, 2]) };
    const payload = await seen({ copies: { outputs: [{ place: [], copy }] } });
    expect(payload.outputs).toMatchObject({ shape: [2], size: 2 });
  });
});

describe('hooks that fail', () => {
  test('do not keep others from their events', async () => {
    const heard: string[] = [];
    const failing = { name: 'failing', onStepEnd: () => Promise.reject(new Error('oops')) };
    const { pump, logger } = pumpOf(failing, noting(heard));
    await pump.take([eventMessage('setup'), step(1), step(2)]);
    expect(heard).toEqual(['setup', 'step 1 of 1', 'step 2 of 2']);
    expect(logger.lines[0]?.message).toContain('"failing" failed in onStepEnd');
  });

  test('fatally reject what was taken', async () => {
    const fatal = () => {
      throw new HookFatalError('not like this');
    };
    const { pump } = pumpOf({ name: 'strict', onStepEnd: fatal });
    await expect(pump.take([eventMessage('setup'), step(1)])).rejects.toThrow('not like this');
  });
});

describe('a run that is abandoned', () => {
  const reason = new Error('the worker died');

  test('tells its hooks why, once, and tears them down', async () => {
    const heard: string[] = [];
    const { pump } = pumpOf(noting(heard));
    await pump.take([eventMessage('setup')]);
    await pump.abandon(reason);
    await pump.abandon(reason);
    expect(heard).toEqual(['setup', 'exception the worker died', 'teardown']);
  });

  test('does not tell them twice, when the worker has told them already', async () => {
    const heard: string[] = [];
    const { pump } = pumpOf(noting(heard));
    const exception = eventMessage('onException', { payload: { error: toPlain(new Error('its own')) } });
    await pump.take([eventMessage('setup'), exception]);
    await pump.abandon(reason);
    expect(heard).toEqual(['setup', 'exception its own', 'teardown']);
  });

  test('forgets the groups of events that still wait', async () => {
    const heard: string[] = [];
    const { pump } = pumpOf(noting(heard));
    void pump.take([eventMessage('setup'), step(1)]);
    void pump.take([step(2)]);
    await pump.abandon(reason);
    expect(heard).toEqual(['setup', 'step 1 of 1', 'exception the worker died', 'teardown']);
  });

  test('says nothing to hooks that were never set up, or are torn down', async () => {
    const heard: string[] = [];
    const { pump } = pumpOf(noting(heard));
    await pump.abandon(reason);
    expect(heard).toEqual([]);
    await pump.take([eventMessage('setup'), eventMessage('teardown')]);
    await pump.abandon(reason);
    expect(heard).toEqual(['setup', 'teardown']);
  });
});
