import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../../testing/support/src/some-of.js';
import { enableTraining } from '../src/index.js';
import { STEPS } from './cases/steps.js';
import { type Outcome, runSteps, type Steps } from './steps.js';

const TRIED = someOf(Object.entries(STEPS), 16);
const expected = new Map<() => Steps, Outcome>();

beforeAll(async () => {
  await enableTraining({ engine: false });
  await tf.setBackend('wasm');
  for (const make of [...TRIED.map(([, make]) => make), reregistering]) expected.set(make, runSteps(make));
  await enableTraining({ engine: true });
});

afterAll(async () => {
  (await enableTraining()).disable();
});

const threeNumbers = () => tf.tidy(() => tf.variable(tf.tensor1d([0.5, -1, 2])));

/** Steps 5 to 8 run with another kernel, and with a gradient that counts its calls. */
function reregistering(): Steps {
  const variable = threeNumbers();
  const gradient = tf.getGradient(tf.Square);
  const kernel = tf.getKernel(tf.Tanh, 'wasm');
  let calls = 0;
  const set = (isOwn: boolean) => {
    const gradFunc: tf.GradConfig['gradFunc'] = (dy) => ({ x: () => tf.mul(dy as tf.Tensor, ++calls) });
    tf.unregisterGradient(tf.Square);
    tf.registerGradient({ ...gradient, ...(isOwn && { gradFunc }) });
    tf.unregisterKernel(tf.Tanh, 'wasm');
    const kernelFunc: tf.KernelFunc = (args) => tf.getKernel(tf.Sigmoid, 'wasm').kernelFunc(args);
    tf.registerKernel({ ...kernel, ...(isOwn && { kernelFunc }) });
  };
  return {
    variables: () => [variable],
    loss: () => tf.sum(tf.tanh(tf.square(variable))) as tf.Scalar,
    before: (step: number) => set(step > 4 && step < 9),
    dispose: () => {
      set(false);
      variable.dispose();
    },
  };
}

describe('training steps on the fast engine', () => {
  it.each(TRIED)('have the bits of the tfjs engine, and leave nothing: %s', (_name, make) => {
    const { numbers, left } = runSteps(make);
    expect(numbers).toEqual(expected.get(make)!.numbers);
    expect(left).toEqual({ numTensors: 0, numBytes: 0, numDataBuffers: 0 });
  });

  it('use a gradient and a kernel that somebody registers between two steps', () => {
    const { numbers, left } = runSteps(reregistering);
    expect(numbers).toEqual(expected.get(reregistering)!.numbers);
    expect(left).toEqual({ numTensors: 0, numBytes: 0, numDataBuffers: 0 });
  });

  it('leave nothing when the loss or a gradient function throws, and the next step is right', () => {
    const variable = threeNumbers();
    let failing: 'loss' | 'gradient' | undefined;
    const hook = tf.customGrad((x, save) => {
      (save as (tensors: tf.Tensor[]) => void)([x as tf.Tensor]);
      if (failing === 'loss') throw new Error('in the loss');
      return {
        value: tf.clone(x as tf.Tensor),
        gradFunc: (dy) => {
          if (failing === 'gradient') throw new Error('in the gradient');
          return tf.clone(dy) as never;
        },
      };
    });
    const step = () =>
      tf.variableGrads(() => tf.sum(tf.tanh(hook(tf.square(tf.tanh(variable))))) as tf.Scalar, [variable]);
    const numbers = () => {
      const { value, grads } = step();
      const result = [...value.dataSync(), ...grads[variable.name]!.dataSync()];
      tf.dispose([value, grads]);
      return result;
    };
    const usual = numbers();
    const before = tf.memory();
    for (const kind of ['loss', 'gradient', 'loss', 'gradient'] as const) {
      failing = kind;
      // The loss belongs to the caller, who never got it because of the error.
      tf.engine().startScope();
      expect(step).toThrow(`in the ${kind}`);
      tf.engine().endScope();
      failing = undefined;
      expect(numbers()).toEqual(usual);
      expect(tf.memory()).toEqual(before);
    }
    variable.dispose();
  });

  it('are not disturbed by the steps of another model inside a gradient function', () => {
    const [variable, other] = [threeNumbers(), threeNumbers()];
    const hook = tf.customGrad((x) => ({
      value: tf.clone(x as tf.Tensor),
      gradFunc: (dy) => {
        for (let length = 1; length <= 20; length++) {
          const loss = () => tf.sum(tf.square(tf.tile(other, [length]))) as tf.Scalar;
          tf.dispose(tf.variableGrads(loss, [other]) as never);
        }
        return tf.clone(dy) as never;
      },
    }));
    const before = tf.memory();
    for (let i = 0; i < 3; i++) {
      const loss = () => tf.sum(hook(tf.square(tf.square(variable)))) as tf.Scalar;
      const { value, grads } = tf.variableGrads(loss, [variable]);
      expect([...grads[variable.name]!.dataSync()]).toEqual([0.5, -4, 32]);
      tf.dispose([value, grads]);
    }
    expect(tf.memory()).toEqual(before);
    tf.dispose([variable, other]);
  });

  it('give a variable that is listed twice its gradient once', () => {
    const x = threeNumbers();
    const before = tf.memory().numTensors;
    for (let i = 0; i < 3; i++) {
      const { value, grads } = tf.variableGrads(() => tf.sum(tf.square(x)) as tf.Scalar, [x, x]);
      expect([...grads[x.name]!.dataSync()]).toEqual([1, -2, 4]);
      tf.dispose([value, grads]);
    }
    expect(tf.memory().numTensors).toBe(before);
    x.dispose();
  });
});
