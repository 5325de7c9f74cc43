import { type EventName, type Hook, type HookContext, HookManager } from '@hookline/hook-api';
import { fakeContext } from '@hookline/hook-testkit';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EventMessage, TrainMessage } from '../src/messages.js';
import { Outbox } from '../src/worker/outbox.js';
import { createRelay } from '../src/worker/relay.js';

beforeAll(() => useBackend());

/** A relay, with what it has sent. */
function relayOf(events: EventName[], more: Partial<TrainMessage> = {}) {
  const sent: EventMessage[] = [];
  const outbox = new Outbox({
    post: (message) => void sent.push(...(message as { events: EventMessage[] }).events),
  });
  const message: TrainMessage = {
    type: 'train',
    settings: {},
    events,
    hooks: [],
    tensors: [],
    life: '',
    ...more,
  };
  const relay = createRelay(message, outbox);
  const all = () => {
    outbox.flush();
    return sent;
  };
  return { ...relay, outbox, all };
}

/** Calls a method of the hook as the trainer does: not where its filter says no. */
async function fire(hook: Hook, event: EventName, ctx: HookContext, payload: object): Promise<boolean> {
  let manager = managers.get(hook);
  if (!manager) {
    manager = new HookManager();
    manager.add({ ...hook, setup() {} });
    await manager.setup('fit', () => ctx);
    managers.set(hook, manager);
  }
  if (event === 'teardown') await manager.teardown();
  else if (!manager.due(event)) return false;
  else await manager.call(event as 'onLog', payload as never);
  return true;
}

const managers = new Map<Hook, HookManager>();

describe('what is sent', () => {
  test('is each event with its numbers and the state; with setup also how the run began', async () => {
    const { hook, all } = relayOf(['setup', 'onStepEnd', 'teardown']);
    const { ctx, state } = fakeContext({ run: { id: 'r-7' } });
    await hook.setup!(ctx, { stage: 'fit' } as never);
    state.step = 1;
    await fire(hook, 'onStepEnd', ctx, { step: 1, loss: 0.5 });
    await fire(hook, 'teardown', ctx, {});
    expect(all().map(({ event }) => event)).toEqual(['setup', 'onStepEnd', 'teardown']);
    expect(all()[0]!.start).toMatchObject({ backend: 'cpu', run: { id: 'r-7' } });
    expect(all()[1]).toMatchObject({ payload: { step: 1, loss: 0.5 }, state: { step: 1 }, start: undefined });
  });

  test('names the fields that stay, unless copies of them go along', async () => {
    const { hook, all } = relayOf(['onTrainBatchEnd'], { tensors: ['outputs'] });
    const { ctx } = fakeContext();
    const tensors = { batch: { xs: tf.scalar(1) }, outputs: tf.tensor1d([2, 3]) };
    await fire(hook, 'onTrainBatchEnd', ctx, { loss: 1, ...tensors });
    tf.dispose(tensors);
    expect(all()[0]).toMatchObject({ payload: { loss: 1 }, withheld: ['batch'] });
    expect([...all()[0]!.copies.outputs![0]!.copy.data]).toEqual([2, 3]);
  });

  test('asks the trainer for outputs only when somebody wants them', () => {
    expect(relayOf(['onTrainBatchEnd']).hook.needs).toBeUndefined();
    expect(relayOf(['onTrainBatchEnd'], { tensors: ['outputs'] }).hook.needs).toEqual(['outputs']);
  });

  test('leaves out events of batches for a slow page, and never those that happen once', async () => {
    const { hook, outbox, all } = relayOf(['onStepEnd', 'onEpochEnd', 'onTrainEnd', 'onException']);
    const { ctx, state } = fakeContext();
    for (let step = 0; step < 5000; step++) {
      state.step = step;
      await fire(hook, 'onStepEnd', ctx, { step });
    }
    const steps = all().length;
    expect(steps).toBeLessThanOrEqual(4096);
    expect(steps).toBeGreaterThan(4000);
    expect(await fire(hook, 'onStepEnd', ctx, { step: 5001 })).toBe(false);
    expect(await fire(hook, 'onEpochEnd', ctx, {})).toBe(true);
    for (let each = 0; each < 20_000; each++) outbox.hasRoom('batch', () => `${each}`);
    await fire(hook, 'onException', ctx, { error: new Error('x') });
    await fire(hook, 'onTrainEnd', ctx, {});
    expect(
      all()
        .slice(steps)
        .map(({ event }) => event),
    ).toEqual(['onEpochEnd', 'onException', 'onTrainEnd']);
  });
});

describe('what the main side asks for', () => {
  const group = { name: 'all', lr: 0.1, lrScale: 1 };
  const begun = async () => {
    const relay = relayOf(['setup']);
    const fake = fakeContext({ state: { optimizers: [{ name: 'adam', groups: [group] }] } });
    await relay.hook.setup!(fake.ctx, { stage: 'fit' } as never);
    return { ...relay, ...fake };
  };

  test('is done in the worker', async () => {
    const { act, stopped, values, verbs } = await begun();
    act({ verb: 'stop', reason: 'enough' });
    act({ verb: 'log', values: { a: 1 } });
    act({ verb: 'requestCheckpoint', reason: 'now' });
    act({ verb: 'requestValidation' });
    act({ verb: 'markFailed', reason: undefined });
    expect([stopped, values]).toEqual([['enough'], [{ a: 1 }]]);
    expect(verbs).toEqual(['requestCheckpoint', 'requestValidation', 'markFailed']);
  });

  test('changes the learning rate of a group, if there is such a group', async () => {
    const { act } = await begun();
    act({ verb: 'lrScale', optimizer: 0, group: 0, value: 0.25 });
    act({ verb: 'lrScale', optimizer: 3, group: 0, value: 9 });
    act({ verb: 'lrScale', optimizer: 0, group: 3, value: 9 });
    expect(group.lrScale).toBe(0.25);
  });

  test('waits for the run to begin, and is done in its order', async () => {
    const { hook, act } = relayOf(['setup']);
    act({ verb: 'log', values: { early: 1 } });
    act({ verb: 'stop', reason: 'before it began' });
    const { ctx, stopped, values } = fakeContext();
    await hook.setup!(ctx, { stage: 'fit' } as never);
    expect([values, stopped]).toEqual([[{ early: 1 }], ['before it began']]);
    act({ verb: 'stop', reason: 'again' });
    expect(stopped).toEqual(['before it began', 'again']);
  });
});
