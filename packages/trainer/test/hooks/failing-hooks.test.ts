import { EVENTS, type EventName, type Hook, HookFatalError } from '@hookline/hook-api';
import {
  collectingLogger,
  errorOf,
  recorder,
  regression,
  regressor,
  someOf,
  TEST_BACKENDS,
  weightsOf,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Trainer } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = regression(12);
const FIT = { train: data, validation: data, epochs: 2, batchSize: 4 };
const OBSERVED = Object.entries(EVENTS).filter(([, { kind }]) => kind === 'observe') as [
  EventName,
  { sync: boolean },
][];

function setUp(hooks: Hook[], backend = 'cpu') {
  const model = regressor();
  const logger = collectingLogger();
  const trainer = quietTrainer({
    model,
    backend,
    metrics: ['meanAbsoluteError'],
    clip: { norm: 1 },
    accumulate: 2,
    hooks,
    logger,
  });
  return { model, logger, trainer };
}

async function everything(trainer: Trainer): Promise<void> {
  await trainer.fit(FIT);
  await trainer.test({ data });
  tf.dispose(await trainer.predict({ data }));
}

function throwing(event: EventName, error: Error = new Error(`broken ${event}`)): Hook {
  const fail = () => {
    throw error;
  };
  return { name: 'broken', [event]: EVENTS[event].sync ? fail : async () => fail() };
}

describe('an on* method that throws', () => {
  let untroubled: number[][];
  beforeAll(async () => {
    const { model, trainer } = setUp([]);
    await everything(trainer);
    untroubled = weightsOf(model);
  });

  test.each(someOf(OBSERVED, 6))('%s: training continues, its state intact', async (event) => {
    const { model, trainer, logger } = setUp([throwing(event)]);
    await everything(trainer);
    expect(weightsOf(model)).toEqual(untroubled);
    const errors = logger.lines.filter(({ level }) => level === 'error');
    // The event need not occur in this run (onLog, checkpoints, onException); where it does, it is reported.
    for (const { message, fields } of errors.filter(({ fields }) => 'err' in fields)) {
      expect(message).toContain(`Hook "broken" failed in ${event}`);
      expect((fields.err as Error).message).toBe(`broken ${event}`);
    }
    if (event.startsWith('onTrain')) expect(errors.length).toBeGreaterThan(0);
  });

  test('is switched off after 3 failures in a row, says so once, and is listed so', async () => {
    const { trainer, logger } = setUp([throwing('onTrainBatchEnd'), recorder('other')]);
    const { status } = await trainer.fit(FIT);
    expect(status).toBe('completed');
    const errors = logger.lines.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(4);
    expect(errors[3]!.message).toContain(
      'Hook "broken" is disabled: onTrainBatchEnd failed 3 times in a row',
    );
    expect(trainer.hooks.list().map(({ name, enabled }) => [name, enabled])).toEqual([
      ['broken', false],
      ['other', true],
    ]);
  });

  test('does not keep other hooks from being called', async () => {
    const seen = recorder('after', ['onEpochEnd']);
    const { trainer } = setUp([throwing('onEpochEnd'), seen]);
    await trainer.fit(FIT);
    expect(seen.events).toHaveLength(2);
  });
});

describe('a fatal failure', () => {
  const cause = new Error('the cause');
  const original = new Error('the original', { cause });
  const fatal: [string, Hook][] = [
    ['setup', throwing('setup', original)],
    ['transformBatch', throwing('transformBatch', original)],
    ['transformActivation', throwing('transformActivation', original)],
    ['transformGradients', throwing('transformGradients', original)],
    ['any event of a hook with onError: fail', { ...throwing('onStepEnd', original), onError: 'fail' }],
    ['a sync event of such a hook', { ...throwing('onBeforeBackward', original), onError: 'fail' }],
    ['onAfterBackward of such a hook', { ...throwing('onAfterBackward', original), onError: 'fail' }],
    [
      'onValidationBatchEnd of such a hook',
      { ...throwing('onValidationBatchEnd', original), onError: 'fail' },
    ],
    ['teardown of such a hook', { ...throwing('teardown', original), onError: 'fail' }],
  ];

  test.each(someOf(fatal, 3))('in %s reaches the caller as it is', async (_where, hook) => {
    const { trainer } = setUp([hook]);
    const error: Error = await errorOf(trainer.fit(FIT));
    expect(error).toBe(original);
    expect(error.cause).toBe(cause);
  });

  test('is told to everyone in onException, and those that were set up are torn down in reverse', async () => {
    const order: string[] = [];
    const named = (name: string): Hook => ({
      name,
      setup: () => void order.push(`setup ${name}`),
      onException: (ctx, { error }) =>
        void order.push(`${name}: ${(error as Error).message}, ${ctx.state.status}`),
      teardown: () => void order.push(`teardown ${name}`),
    });
    const { trainer } = setUp([named('first'), throwing('transformGradients', original), named('last')]);
    await errorOf(trainer.fit(FIT));
    expect(order).toEqual([
      'setup first',
      'setup last',
      'first: the original, error',
      'last: the original, error',
      'teardown last',
      'teardown first',
    ]);
  });

  test('in setup: hooks behind it are not set up, and not torn down', async () => {
    const before = recorder('before', ['setup', 'onException', 'teardown']);
    const behind = recorder('behind', ['setup', 'onException', 'teardown']);
    const { trainer } = setUp([before, throwing('setup', original), behind]);
    await errorOf(trainer.fit(FIT));
    expect(before.names()).toEqual(['setup', 'onException', 'teardown']);
    expect(behind.names()).toEqual([]);
  });

  test('a HookFatalError ends the run from any event', async () => {
    const strict = new HookFatalError('val/f1 is not there');
    const { trainer } = setUp([throwing('onEpochEnd', strict)]);
    expect(await errorOf(trainer.fit(FIT))).toBe(strict);
    const inTape = setUp([throwing('onForward', strict)]);
    expect(await errorOf(inTape.trainer.fit(FIT))).toBe(strict);
  });

  test('an onException that throws does not take its place', async () => {
    const { trainer } = setUp([
      throwing('transformBatch', original),
      { name: 'loud', onError: 'fail', onException: () => Promise.reject(new Error('louder')) },
    ]);
    expect(await errorOf(trainer.fit(FIT))).toBe(original);
  });

  test('leaves the weights as they were before the failing step', async () => {
    const { model, trainer } = setUp([throwing('transformGradients', original)]);
    await errorOf(trainer.fit(FIT));
    expect(weightsOf(model)).toEqual(weightsOf(regressor()));
  });

  test('does not end the trainer: without the hook it fits as if nothing had been', async () => {
    const plain = setUp([]);
    await plain.trainer.fit(FIT);
    for (const [, hook] of fatal) {
      if (hook.teardown || hook.onStepEnd || hook.onValidationBatchEnd) continue; // those fail after a step
      const { model, trainer } = setUp([hook]);
      await errorOf(trainer.fit(FIT));
      trainer.removeHook('broken');
      const { status } = await trainer.fit(FIT);
      expect(status).toBe('completed');
      expect(weightsOf(model)).toEqual(weightsOf(plain.model));
    }
  });
});

test('a teardown that throws is logged, and the others run', async () => {
  const others = [recorder('first', ['teardown']), recorder('last', ['teardown'])] as const;
  const { trainer, logger } = setUp([others[0], throwing('teardown'), others[1]]);
  const { status } = await trainer.fit(FIT);
  expect(status).toBe('completed');
  expect(others.map(({ events }) => events.length)).toEqual([1, 1]);
  expect(logger.lines.some(({ message }) => message.includes('failed in teardown'))).toBe(true);
});

describe.each(TEST_BACKENDS)('on %s', (backend) => {
  const events: readonly EventName[] = [
    'onForward',
    'onBeforeBackward',
    'transformActivation',
    'transformBatch',
    'transformGradients',
    'onAfterBackward',
    'onGradientClip',
    'onBeforeOptimizerStep',
    'onAfterOptimizerStep',
    'onTrainBatchStart',
    'onTrainBatchEnd',
    'onValidationBatchStart',
    'onValidationBatchEnd',
    'onEpochEnd',
  ];
  test.each(someOf(events, 4))('a failure in %s leaks no tensor, inside the tape or out', async (event) => {
    const { trainer } = setUp([{ ...throwing(event), onError: 'fail' }], backend);
    await errorOf(trainer.fit(FIT)); // the first run makes what stays: optimizer state
    const before = tf.memory().numTensors;
    for (let run = 0; run < 3; run++) await errorOf(trainer.fit(FIT));
    expect(tf.memory().numTensors).toBe(before);
    expect(tf.engine().state.activeTape).toBeNull();
  });
});
