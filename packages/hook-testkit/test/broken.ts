import type { HookContext } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach } from 'vitest';
import type { TestedFactory } from '../src/subject.js';
import { schema, steadyBut, steadyHook } from './steady.js';

export interface Broken {
  fault: string;
  /** The only check that finds it. */
  check: string;
  says: RegExp;
  factory: TestedFactory<object>;
  options?: object;
}

let kept: tf.Tensor[] = [];
let shared = 0;
afterEach(() => {
  tf.dispose(kept);
  kept = [];
});

/** Each breaks one promise. */
export const BROKEN: Broken[] = [
  {
    fault: 'a method that is named almost like an event',
    check: 'events',
    says: /"onEpochEnds", but there is no such event\. Did you mean "onEpochEnd"\?/,
    factory: steadyBut(() => ({ onEpochEnds() {} })),
  },
  {
    fault: 'a method inside the gradient tape that is async',
    check: 'events',
    says: /onForward is async, but it runs inside the gradient tape/,
    factory: steadyBut(() => ({ onForward: async () => {} })),
  },
  {
    fault: 'a factory that needs options',
    check: 'options',
    says: /fails without options: "decay" is missing.*give every option one/,
    factory: ((options?: { decay: number }) => {
      if (!options) throw new Error('"decay" is missing.');
      return steadyHook(options);
    }) as TestedFactory<object>,
    options: { decay: 0.5 },
  },
  {
    fault: 'a schema that accepts everything',
    check: 'options',
    says: /accepts an option that does not exist/,
    factory: Object.assign(() => steadyHook(), {
      options: { '~standard': { ...schema['~standard'], validate: (value: unknown) => ({ value }) } },
    }),
  },
  {
    fault: 'a method that throws',
    check: 'fit',
    says: /Hook "steady" failed in onTrainEnd at step 6: Cannot read properties of undefined/,
    factory: steadyBut(() => ({ onTrainEnd: () => (undefined as unknown as { x: number }).x })),
  },
  {
    fault: 'a learning rate that an observer changes',
    check: 'observer',
    says: /The hook changes training: weight 0 .*observer: false/,
    factory: steadyBut(() => ({
      onEpochEnd({ state }: HookContext) {
        state.optimizers[0]!.groups[0]!.lrScale = 0.5;
      },
    })),
  },
  {
    fault: 'a tensor that is left in each step',
    check: 'leaks',
    says: /27 tensors more after 27 steps; most of them are made in onStepEnd\. Dispose/,
    factory: steadyBut(() => ({ onStepEnd: () => void kept.push(tf.scalar(1)) })),
  },
  {
    fault: 'a counter that is not reset for the next fit',
    check: 'reuse',
    says: /In its second fit, "steady\/loss" is .* at step 1, where it was .*\. Reset in setup/,
    factory: steadyBut(() => ({ setup() {} })),
  },
  {
    fault: 'a variable of the module that all instances use',
    check: 'instances',
    says: /Beside a second instance, "steady\/calls" is \d+ at step 1, where it was 1\. Keep everything in the instance/,
    factory: steadyBut(() => ({
      setup: () => {
        shared = 0;
      },
      onTrainBatchEnd: (ctx: HookContext) => ctx.log({ 'steady/calls': ++shared }),
      saveState: () => shared,
      loadState: (state: number) => {
        shared = state;
      },
    })),
  },
  {
    fault: 'a state that JSON cannot hold',
    check: 'state',
    says: /"since" is a Date, which JSON cannot hold/,
    factory: steadyBut(() => ({ saveState: () => ({ since: new Date() }), loadState() {} })),
  },
  {
    fault: 'a state that is not saved',
    check: 'resume',
    says: /Resumed at the end of an epoch, "steady\/loss" is .* Return from saveState/,
    factory: steadyBut(() => ({ saveState: undefined, loadState: undefined })),
  },
  {
    fault: 'a teardown that needs what onTrainStart made',
    check: 'teardown',
    says: /failed in teardown at step 0: .*\. teardown and onException must not rely on what was never set up/,
    factory: steadyBut((hook) => {
      let file: { close(): void } | undefined;
      return {
        setup(_ctx: HookContext, { stage }: { stage: string }) {
          hook.average = 0;
          file = stage === 'fit' ? undefined : { close() {} };
        },
        onTrainStart: () => {
          file = { close() {} };
        },
        teardown: () => file!.close(),
      };
    }),
  },
  {
    fault: 'a tensor that stays when the run fails',
    check: 'neighbours',
    says: /When "fails-in-training" fails in transformGradients.*: 1 tensors of the hook are left/,
    factory: steadyBut(() => {
      let sum: tf.Tensor | undefined;
      return {
        onTrainStart: () => {
          sum = tf.scalar(0);
        },
        onTrainEnd: () => sum?.dispose(),
      };
    }),
  },
  {
    fault: 'an onEpochEnd that needs its onEpochStart',
    check: 'switching',
    says: /Switched .* in the middle of an epoch: Hook "steady" failed in onEpochEnd .*miss any event/,
    factory: steadyBut((hook) => {
      let losses: number[] | undefined;
      return {
        onEpochStart: () => {
          losses = [];
        },
        onEpochEnd: (ctx: HookContext) => ctx.log({ 'steady/count': losses!.length }),
        setup: () => {
          hook.average = 0;
          losses = undefined;
        },
      };
    }),
  },
];
