import { type HookContext, sharedKey } from '@hookline/hook-api';
import { collectingLogger } from '@hookline/test-support';
import { beforeEach, describe, expect, test } from 'vitest';
import { Mirror } from '../src/main/mirror.js';
import type { Verb } from '../src/messages.js';
import { startMessage, stateMessage } from './support/messages.js';

let sent: Verb[];
let mirror: Mirror;
let logger: ReturnType<typeof collectingLogger>;
let ctx: HookContext;
beforeEach(() => {
  sent = [];
  logger = collectingLogger();
  mirror = new Mirror((verb) => void sent.push(verb), logger);
  ctx = mirror.contextFor({ name: 'watching' });
});

describe('what a hook of this side sees', () => {
  test('is the state of the event that it is called for', () => {
    mirror.update(
      stateMessage({ step: 3, metrics: { 'train/loss': 2 } }),
      startMessage({ backend: 'webgl' }),
    );
    const { state } = ctx;
    expect([state.step, state.backend, state.modelParams, ctx.metrics['train/loss']]).toEqual([
      3,
      'webgl',
      12,
      2,
    ]);
    mirror.update(stateMessage({ step: 4, status: 'validating', elapsedSeconds: 9 }), undefined);
    expect([state.step, state.status, state.elapsedSeconds, state.backend]).toEqual([
      4,
      'validating',
      9,
      'webgl',
    ]);
    expect(ctx.run).toMatchObject({ id: 'run-1', seed: 5 });
    expect(ctx.hook).toBe('watching');
    expect(ctx.phases()).toEqual([]);
  });

  test('cannot be changed', () => {
    mirror.update(stateMessage(), startMessage());
    expect(() => Object.assign(ctx, { hook: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(ctx.state, { step: 9 })).toThrow(TypeError);
    expect(() => Object.assign(ctx.state.optimizers[0]!.groups[0]!, { lr: 9 })).toThrow(TypeError);
  });

  test('begins with the run: before, no step is known', () => {
    expect(mirror.step).toBeUndefined();
    mirror.update(stateMessage({ step: 7 }), startMessage());
    expect(mirror.step).toBe(7);
  });

  test('is shared with the other hooks of this side, by keys', () => {
    const key = sharedKey<number>('hookline.test');
    const other = mirror.contextFor({ name: 'other' });
    expect([ctx.shared.has(key), ctx.shared.get(key)]).toEqual([false, undefined]);
    ctx.shared.set(key, 4);
    expect([other.shared.has(key), other.shared.get(key)]).toEqual([true, 4]);
    other.shared.delete(key);
    expect(ctx.shared.has(key)).toBe(false);
  });

  test('has its own logger', () => {
    ctx.logger.warn('careful');
    expect(logger.lines.map(({ message }) => message)).toEqual(['careful']);
  });

  test.each(['model', 'parameters'] as const)('does not include state.%s, and says where that is', (name) => {
    expect(() => ctx.state[name]).toThrow(
      `Hook "watching" asks for ctx.state.${name}, which is in the worker. Pass the hook to the Trainer in the training module.`,
    );
  });
});

describe('what a hook of this side does', () => {
  test('becomes a message', () => {
    ctx.log({ 'page/answer': 42 });
    ctx.stop('enough');
    ctx.markFailed('bad data');
    ctx.requestCheckpoint('now');
    ctx.requestValidation();
    expect(sent).toEqual([
      { verb: 'log', values: { 'page/answer': 42 } },
      { verb: 'stop', reason: 'enough' },
      { verb: 'markFailed', reason: 'bad data' },
      { verb: 'requestCheckpoint', reason: 'now' },
      { verb: 'requestValidation' },
    ]);
  });

  test('has a reason, also where the hook gave none', () => {
    for (const reason of [undefined, null, '', '  ']) ctx.stop(reason as string);
    ctx.stop(new Error('an error as a reason') as never);
    ctx.requestCheckpoint();
    expect(sent.map((verb) => ('reason' in verb ? verb.reason : ''))).toEqual([
      ...Array(4).fill('hook "watching" stopped the run'),
      'an error as a reason',
      'requested by hook "watching"',
    ]);
  });

  test('to a learning rate is seen once it is so in the worker', () => {
    mirror.update(stateMessage(), startMessage());
    const [group] = ctx.state.optimizers[0]!.groups;
    group!.lrScale = 0.5;
    expect(sent).toEqual([{ verb: 'lrScale', optimizer: 0, group: 0, value: 0.5 }]);
    expect(ctx.state.optimizers[0]!.groups[0]!.lrScale).toBe(1);
    const scaled = { name: 'adam', groups: [{ name: 'all', lr: 0.1, lrScale: 0.5 }] };
    mirror.update(stateMessage({ optimizers: [scaled] }), undefined);
    expect(ctx.state.optimizers[0]!.groups[0]!.lrScale).toBe(0.5);
  });

  test('names the group that it means', () => {
    const groups = ['body', 'head'].map((name) => ({ name, lr: 0.1, lrScale: 1 }));
    const optimizers = ['one', 'two'].map((name) => ({ name, groups }));
    mirror.update(stateMessage({ optimizers }), startMessage());
    ctx.state.optimizers[1]!.groups[1]!.lrScale = 2;
    expect(sent).toEqual([{ verb: 'lrScale', optimizer: 1, group: 1, value: 2 }]);
  });

  test.each([
    'seed',
    'skipBatch',
    'skipStep',
    'forward',
    'snapshot',
    'restore',
    'checkpointSaved',
    'provideCheckpoints',
  ] as const)('cannot be ctx.%s(), which says where it works', (verb) => {
    const call = ctx[verb] as () => unknown;
    expect(call).toThrow(
      expect.objectContaining({
        code: 'NOT_HERE',
        message: expect.stringContaining(`asks for ctx.${verb}()`),
      }),
    );
    expect(sent).toEqual([]);
  });

  test('aborts the signal when it stops the run, or when the run ends', () => {
    expect(ctx.signal.aborted).toBe(false);
    ctx.stop();
    expect(ctx.signal.aborted).toBe(true);
    const other = new Mirror(() => {}, logger);
    const { signal } = other.contextFor({ name: 'other' });
    other.stopping();
    expect(signal.aborted).toBe(true);
  });
});
