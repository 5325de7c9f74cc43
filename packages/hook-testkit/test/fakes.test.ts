import { EVENTS, type EventName, every, type Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import {
  drivenHook,
  eventRecorder,
  fakeClock,
  fakeContext,
  fakeLogger,
  faultyHook,
  namedHook,
} from '../src/index.js';
import { trial } from '../src/trial/trial.js';

test('a driven hook sees the run that the test describes, and what it does is kept', async () => {
  const hook: Hook = {
    name: 'brake',
    onEpochEnd(ctx, { metrics }) {
      ctx.log({ 'brake/epoch': ctx.state.epoch });
      ctx.logger.warn({ loss: metrics['val/loss'] }, 'slow');
      if (ctx.state.epoch > 3) ctx.stop('enough');
      ctx.requestValidation();
    },
  };
  const { fire, state, values, logged, stopped, verbs } = drivenHook(hook, { state: { epoch: 3 } });
  await fire('onEpochEnd', { epoch: 3, metrics: { 'val/loss': 2 } });
  expect(stopped).toEqual([]);
  state.epoch = 4;
  await fire('onEpochEnd', { epoch: 4, metrics: {} });
  expect(stopped).toEqual(['enough']);
  expect(values).toEqual([{ 'brake/epoch': 3 }, { 'brake/epoch': 4 }]);
  expect(logged[0]).toEqual({ level: 'warn', message: 'slow', fields: { loss: 2 } });
  expect(verbs).toEqual(['requestValidation', 'requestValidation']);
  await fire('onTrainEnd', {} as never); // which it does not listen to
});

test('a fake context shares data between hooks, as a run does', () => {
  const { ctx } = fakeContext({ hook: 'mine', metrics: { 'val/loss': 1 } });
  ctx.shared.set({ name: 'key' }, 5);
  expect([ctx.shared.get({ name: 'key' }), ctx.hook, ctx.metrics['val/loss']]).toEqual([5, 'mine', 1]);
});

test('time passes only when the test says so, and is real again afterwards', () => {
  const real = [Date.now, performance.now];
  {
    using clock = fakeClock();
    const [date, now] = [Date.now(), performance.now()];
    clock.advance(1500);
    expect([Date.now() - date, performance.now() - now, clock.now() - now]).toEqual([1500, 1500, 1500]);
  }
  expect([Date.now, performance.now]).toEqual(real);
});

test('the difference of two readings is exactly what was passed, whenever the clock was made', () => {
  const real = performance.now;
  try {
    performance.now = () => 2013.2680627426823; // 1,500 more, less itself, is 1,500.0000000000002
    using clock = fakeClock();
    const start = clock.now();
    clock.advance(1500);
    expect(clock.now() - start).toBe(1500);
  } finally {
    performance.now = real;
  }
});

test('a logger keeps the lines of its children with their bindings', () => {
  const logger = fakeLogger();
  logger.child({ hook: 'mine' }).info('hello');
  expect(logger.lines).toEqual([{ level: 'info', message: 'hello', fields: { hook: 'mine' } }]);
});

test('a recorder has the events of a run in order, with payload and state', async () => {
  const recorder = eventRecorder('recorder', ['onEpochStart', 'onEpochEnd', 'setup', 'teardown']);
  await trial([recorder]);
  expect(recorder.names()).toEqual([
    ...['setup', 'onEpochStart', 'onEpochEnd', 'onEpochStart', 'onEpochEnd', 'teardown'],
  ]);
  expect(recorder.of('onEpochEnd').map(({ payload, state }) => [payload.epoch, state.step])).toEqual([
    [0, 3],
    [1, 6],
  ]);
});

test('a faulty hook throws where and from when on it is told to', async () => {
  const late = await trial([faultyHook('late', { in: 'onStepEnd', fromStep: 5 })]);
  expect(late.failures.late).toEqual([
    'Hook "late" failed in onStepEnd at step 5: "late" fails in onStepEnd, as it should',
    'Hook "late" failed in onStepEnd at step 6: "late" fails in onStepEnd, as it should',
  ]);
  const fatal = await trial([
    faultyHook('fatal', { in: 'onEpochEnd', onError: 'fail', error: new Error('x') }),
  ]);
  expect(fatal.error).toEqual(new Error('x'));
});

test('a hook with a filter is called as the filter says in a trial', async () => {
  const steps: number[] = [];
  await trial([{ name: 'paced', onStepEnd: every({ steps: 2 }, (_ctx, { step }) => void steps.push(step)) }]);
  expect(steps).toHaveLength(3);
});

test('a driven hook gets itself as this, and what it returns comes back', async () => {
  const hook: Hook & { factor: number } = {
    name: 'scales',
    factor: 3,
    async onEpochEnd() {
      this.factor += 1;
    },
  };
  const { fire, ctx } = drivenHook(hook);
  await fire('onEpochEnd', { epoch: 0, metrics: {} });
  expect([hook.factor, ctx.hook]).toEqual([4, 'scales']);
  expect(fire('onTrainEnd', {} as never)).toBeUndefined();
});

test('what a driven hook throws reaches the test', () => {
  const { fire } = drivenHook({
    name: 'throws',
    onEpochStart() {
      throw new Error('no');
    },
  });
  expect(() => fire('onEpochStart', { epoch: 0 })).toThrow('no');
});

test('a fake context begins with a run that has done nothing yet, and says what it is told', () => {
  const { ctx } = fakeContext();
  expect(ctx.state).toMatchObject({ stage: 'fit', status: 'training', epoch: 0, step: 0, backend: 'cpu' });
  expect(ctx.state.latestLoss).toBeNaN();
  expect([ctx.hook, ctx.run.id, ctx.run.dir, ctx.metrics]).toEqual(['my-hook', 'driven-run', undefined, {}]);
  const told = fakeContext({ state: { step: 7 }, run: { dir: '/runs/a' } }).ctx;
  expect([told.state.step, told.state.epoch, told.run.dir, told.run.seed]).toEqual([7, 0, '/runs/a', 1]);
});

test('a fake context keeps every verb, and never ends by itself', () => {
  const { ctx, verbs, stopped } = fakeContext();
  ctx.skipBatch();
  ctx.skipStep();
  ctx.requestCheckpoint('now');
  ctx.requestValidation();
  ctx.stop('a');
  ctx.stop('b');
  expect(verbs).toEqual(['skipBatch', 'skipStep', 'requestCheckpoint', 'requestValidation']);
  expect([stopped, ctx.signal.aborted, ctx.phases()]).toEqual([['a', 'b'], false, []]);
});

test('shared data of a fake context can be asked for and removed', () => {
  const { ctx } = fakeContext();
  const key = { name: 'key' };
  expect([ctx.shared.has(key), ctx.shared.get(key)]).toEqual([false, undefined]);
  ctx.shared.set(key, 1);
  expect([ctx.shared.has(key), ctx.shared.delete(key), ctx.shared.has(key)]).toEqual([true, true, false]);
});

test('a logger has every level, with fields and without', () => {
  const logger = fakeLogger();
  logger.debug('a');
  logger.info({ step: 1 }, 'b');
  logger.warn({ step: 2 });
  logger.child({ hook: 'x' }).child({ run: 'y' }).error({ hook: 'z' }, 'c');
  expect(logger.lines).toEqual([
    { level: 'debug', message: 'a', fields: {} },
    { level: 'info', message: 'b', fields: { step: 1 } },
    { level: 'warn', message: '', fields: { step: 2 } },
    { level: 'error', message: 'c', fields: { hook: 'z', run: 'y' } },
  ]);
});

test('a recorder listens to every event unless it is told to which', () => {
  const all = eventRecorder();
  expect(Object.keys(EVENTS).filter((event) => typeof all[event as EventName] !== 'function')).toEqual([]);
  const one = eventRecorder('one', ['onEpochEnd']);
  expect(Object.keys(EVENTS).filter((event) => typeof one[event as EventName] === 'function')).toEqual([
    'onEpochEnd',
  ]);
});

test('a recorder keeps the payload as it was, whatever happens to the object later', () => {
  const recorder = eventRecorder('recorder', ['onEpochStart']);
  const { fire, state } = drivenHook(recorder, { state: { step: 3 } });
  const payload = { epoch: 1 };
  fire('onEpochStart', payload);
  payload.epoch = 9;
  state.step = 4;
  expect(recorder.events).toMatchObject([
    { event: 'onEpochStart', payload: { epoch: 1 }, state: { step: 3 } },
  ]);
  expect(recorder.of('onEpochEnd')).toEqual([]);
});

test('a faulty hook fails in every event that observes, and in no transform', () => {
  const faulty = faultyHook();
  for (const [event, { kind }] of Object.entries(EVENTS)) {
    const has = typeof faulty[event as EventName] === 'function';
    expect([event, has]).toEqual([event, kind === 'observe']);
  }
  expect(faulty.onError).toBe('isolate');
});

test('a hook under another name is the same hook', () => {
  const hook: Hook = { name: 'a', onEpochEnd() {} };
  expect(namedHook(hook, 'b')).toBe(hook);
  expect(hook.name).toBe('b');
});

test('with a clock that stands still, timers run as usual', async () => {
  using clock = fakeClock();
  const before = clock.now();
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(clock.now()).toBe(before);
});
