import type { Hook, HookContext } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { fit } from '../../src/checks/fit.js';
import { instances } from '../../src/checks/instances.js';
import { leaks } from '../../src/checks/leaks.js';
import { observer } from '../../src/checks/observer.js';
import { reuse } from '../../src/checks/reuse.js';
import type { TestedFactory } from '../../src/subject.js';
import { saidBy, steadyBut } from '../steady.js';

const fails = () => {
  throw new Error('broken');
};

describe('fit', () => {
  test.each(['onTrainStart', 'onValidationEnd', 'onTestEnd', 'teardown'])(
    'a hook that fails in %s is found out',
    async (event) => {
      expect(
        await saidBy(
          fit,
          steadyBut(() => ({ [event]: fails })),
        ),
      ).toMatch(new RegExp(`Hook "steady" failed in ${event} at step \\d+: broken`));
    },
  );

  test('a hook that ends the run with its error is told that the run failed', async () => {
    expect(
      await saidBy(
        fit,
        steadyBut(() => ({ onError: 'fail', onEpochEnd: fails })),
      ),
    ).toContain('The run failed: ');
  });

  test('a hook that needs what only a fit has set up is found out when it only predicts', async () => {
    const needy = steadyBut(() => {
      let began: { at: number } | undefined;
      return {
        onTrainStart() {
          began = { at: 1 };
        },
        onPredictEnd: () => void began!.at,
      };
    });
    expect(await saidBy(fit, needy)).toMatch(/failed in onPredictEnd/);
  });
});

describe('observer', () => {
  test.each<[string, object]>([
    ['stops the run', { onEpochEnd: (ctx: HookContext) => ctx.stop('enough') }],
    ['skips a batch', { onTrainBatchStart: (ctx: HookContext) => ctx.skipBatch() }],
    ['skips an update', { onBeforeOptimizerStep: (ctx: HookContext) => ctx.skipStep() }],
  ])('a hook that %s changes training, and is told how to say so', async (_what, methods) => {
    const said = await saidBy(
      observer,
      steadyBut(() => methods),
    );
    expect(said).toMatch(/^The hook changes training: /);
    expect(said).toContain('testHook(factory, { observer: false })');
  });

  test('the reason for which it stopped the run is told', async () => {
    const stops = steadyBut(() => ({ onEpochEnd: (ctx: HookContext) => ctx.stop('enough') }));
    expect(await saidBy(observer, stops)).toContain('(it stopped the run: enough)');
  });

  test('a hook that says that it changes training is not asked', async () => {
    const stops = steadyBut(() => ({ onEpochEnd: (ctx: HookContext) => ctx.stop('enough') }));
    expect(await saidBy(observer, stops, { observer: false })).toBe('');
  });

  test('a hook that only looks, at whatever there is, changes nothing', async () => {
    const curious = steadyBut(() => ({
      onForward: (_ctx: HookContext, { output }: { output?: tf.Tensor }) => void output?.shape,
      onAfterBackward: () => tf.tidy(() => void tf.randomNormal([3]).dataSync()),
    }));
    expect(await saidBy(observer, curious)).toBe('');
  });
});

describe('leaks', () => {
  let left: tf.Tensor[] = [];
  const disposeLeft = () => {
    tf.dispose(left);
    left = [];
  };

  test('a tensor that each fit leaves is found with its place', async () => {
    const leaking = steadyBut(() => ({ onTrainEnd: () => void left.push(tf.scalar(1)) }));
    expect(await saidBy(leaks, leaking)).toMatch(
      /^Each fit leaves 1 tensors behind; most of them are made in onTrainEnd\. Dispose/,
    );
    disposeLeft();
  });

  test('a tensor that an async method leaves is counted when that has ended', async () => {
    const later = steadyBut(() => ({
      async onStepEnd() {
        await null;
        left.push(tf.scalar(1));
      },
    }));
    expect(await saidBy(leaks, later)).toContain('made in onStepEnd');
    disposeLeft();
  });

  test('a tensor that is made in setup and disposed in teardown is none', async () => {
    const tidy: TestedFactory<object> = () => {
      let sum: tf.Tensor | undefined;
      return {
        name: 'steady',
        setup() {
          sum = tf.scalar(0);
        },
        teardown: () => void sum?.dispose(),
      } as Hook;
    };
    expect(await saidBy(leaks, tidy)).toBe('');
  });
});

describe('reuse', () => {
  test('a hook that fails only in its second fit is found out', async () => {
    const once = steadyBut((hook) => {
      let fits = 0;
      return {
        setup: () => {
          hook.average = 0;
          if (fits++ > 0) throw new Error('it is open already');
        },
      };
    });
    expect(await saidBy(reuse, once)).toMatch(/failed in setup at step 0: it is open already/);
  });

  test('a hook that stops a second run earlier is found out', async () => {
    const counting = steadyBut(() => {
      let epochs = 0;
      return { onEpochEnd: (ctx: HookContext) => void (++epochs === 3 && ctx.stop('three epochs')) };
    });
    expect(await saidBy(reuse, counting)).toMatch(/In its second fit, .*\. Reset in setup/s);
  });

  test('what differs from run to run, such as a time, is not compared', async () => {
    let clock = 0;
    const timing = steadyBut(() => ({
      onEpochEnd: (ctx: HookContext) => ctx.log({ 'steady/time': ++clock }),
    }));
    expect(await saidBy(reuse, timing)).toBe('');
  });
});

describe('instances', () => {
  test('a factory that returns the same object each time is found out', async () => {
    const only: Hook = { name: 'steady', onEpochEnd() {} };
    expect(await saidBy(instances, () => only)).toBe(
      'The factory returns the same object each time. Make a new hook in each call.',
    );
  });

  test('a second instance that fails is quoted', async () => {
    let open = 0;
    const exclusive = steadyBut(() => ({
      setup: () => {
        if (open++ % 2 === 1) throw new Error('the port is taken');
      },
    }));
    expect(await saidBy(instances, exclusive)).toMatch(/failed in setup at step 0: the port is taken/);
  });
});
