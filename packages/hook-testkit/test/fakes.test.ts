import { every, type Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { drivenHook, eventRecorder, fakeClock, fakeContext, fakeLogger, faultyHook } from '../src/index.js';
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
