import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { enableTraining, fusedLoss } from '../src/index.js';
import { NESTED_STEPS, OPAQUE_STEPS, RECORDED_STEPS } from './cases/steps.js';
import { type Outcome, peakBytes, runSteps, type Steps } from './steps.js';

const ordinary = () => enableTraining({ engine: true, verifiedStep: false });
const verified = () => enableTraining({ engine: true, verifiedStep: true });

const NOTHING = { numTensors: 0, numBytes: 0, numDataBuffers: 0 };

/** What all the steps give without recordings. */
const expected = new Map<() => Steps, Outcome>();

beforeAll(async () => {
  await ordinary();
  await tf.setBackend('wasm');
  const all = [
    ...Object.values(RECORDED_STEPS).map(({ make }) => make),
    ...Object.values(OPAQUE_STEPS),
    ...Object.values(NESTED_STEPS),
    reregistering,
  ];
  for (const make of all) expected.set(make, runSteps(make));
}, 60_000);

/** Recordings are for the shapes of a step, whosever it is: each test starts without any. */
beforeEach(async () => {
  await ordinary();
  await verified();
}, 60_000);

afterAll(async () => {
  await ordinary();
});

const threeNumbers = () => tf.tidy(() => tf.variable(tf.tensor1d([0.5, -1, 2])));

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Steps 5 to 8 have another kernel, and a gradient that counts. */
function reregistering(): Steps {
  const variable = threeNumbers();
  const gradient = tf.getGradient(tf.Square);
  const kernel = tf.getKernel(tf.Tanh, 'wasm');
  let calls = 0;
  const set = (isOwn: boolean) => {
    const gradFunc: tf.GradConfig['gradFunc'] = (dy) => ({ x: () => tf.mul(dy as tf.Tensor, ++calls) });
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

describe('a verified step', () => {
  it.each(Object.entries(RECORDED_STEPS))(
    'has the same bits as an ordinary one, and leaves nothing: %s',
    (_name, { make, replayed }) => {
      const [usual, actual] = [expected.get(make)!, runSteps(make)];
      expect(actual.numbers).toEqual(usual.numbers);
      expect(actual.left).toEqual(NOTHING);
      expect(usual.kernels.every((count) => count > 0)).toBe(true);
      expect(actual.kernels.filter((count) => count === 0)).toHaveLength(replayed);
    },
  );

  it.each(Object.entries(OPAQUE_STEPS))(
    'calls the gradient functions that it does not know, and only those: %s',
    (_name, make) => {
      const [usual, actual] = [expected.get(make)!, runSteps(make)];
      expect(actual.numbers).toEqual(usual.numbers);
      expect(actual.left).toEqual(NOTHING);
      expect(sum(actual.kernels)).toBeLessThan(sum(usual.kernels));
    },
  );

  it.each(Object.entries(NESTED_STEPS))('is an ordinary one with %s', (_name, make) => {
    const [usual, actual] = [expected.get(make)!, runSteps(make)];
    expect(actual.numbers).toEqual(usual.numbers);
    expect(actual.left).toEqual(NOTHING);
    expect(actual.kernels.slice(6)).toEqual(usual.kernels.slice(6));
  });

  it('notices a gradient, and a kernel, that somebody registers between two steps', () => {
    const actual = runSteps(reregistering);
    expect(actual.numbers).toEqual(expected.get(reregistering)!.numbers);
    expect(actual.left).toEqual(NOTHING);
  });

  it('runs the kernel of the way back that is registered then', () => {
    const variable = threeNumbers();
    const gradient = () => {
      const { value, grads } = tf.variableGrads(() => tf.sum(tf.tanh(variable)) as tf.Scalar, [variable]);
      const result = [...grads[variable.name]!.dataSync()];
      tf.dispose([value, grads]);
      return result;
    };
    gradient();
    const usual = gradient();
    const kernel = tf.getKernel('HooklineSlope', 'wasm');
    tf.unregisterKernel('HooklineSlope', 'wasm');
    tf.registerKernel({
      ...kernel,
      kernelFunc: (args) => kernel.kernelFunc({ ...args, attrs: { of: 'relu' } }),
    });
    expect(gradient()).toEqual([1, 0, 1]);
    tf.unregisterKernel('HooklineSlope', 'wasm');
    tf.registerKernel(kernel);
    expect(gradient()).toEqual(usual);
    variable.dispose();
  });

  it('leaves nothing when the loss function, or a gradient function, throws, and goes on after it', () => {
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
      // The loss itself is the caller's, whom an error has kept from getting it.
      tf.engine().startScope();
      expect(step).toThrow(`in the ${kind}`);
      tf.engine().endScope();
      failing = undefined;
      expect(numbers()).toEqual(usual);
      expect(tf.memory()).toEqual(before);
    }
    variable.dispose();
  });

  it('needs no more memory than an ordinary one', async () => {
    const peak = async (enable: () => Promise<unknown>) => {
      await enable();
      const model = tfl.sequential({
        layers: Array.from({ length: 6 }, (_, i) =>
          tfl.layers.dense({ units: 32, activation: 'tanh', ...(i === 0 && { inputShape: [32] }) }),
        ),
      });
      const [batch, targets] = [tf.ones([128, 32]), tf.zeros([128, 32])];
      const step = () => {
        const loss = () => fusedLoss('meanSquaredError', targets, model.apply(batch) as tf.Tensor)!;
        tf.dispose(tf.variableGrads(loss) as never);
      };
      step();
      step();
      const bytes = peakBytes(step);
      tf.dispose([batch, targets]);
      model.dispose();
      return bytes;
    };
    const usual = await peak(ordinary);
    expect(usual).toBeGreaterThan(6 * 128 * 32 * 4);
    expect(await peak(verified)).toBeLessThanOrEqual(usual);
  });

  it('gives its constants back when it is switched off, and when other steps have taken its place', async () => {
    await ordinary();
    const ids = () => (tf.backend() as unknown as { numDataIds(): number }).numDataIds();
    const before = ids();
    await verified();
    const variable = threeNumbers();
    for (let length = 1; length < 40; length++) {
      for (let repeat = 0; repeat < 2; repeat++) {
        const loss = () => tf.sum(tf.square(tf.slice(tf.tile(variable, [20]), 0, length))) as tf.Scalar;
        tf.dispose(tf.variableGrads(loss, [variable]) as never);
      }
    }
    expect(ids() - before - 1).toBeLessThan(20);
    variable.dispose();
    await ordinary();
    expect(ids()).toBe(before);
  });

  it('goes the way of tfjs under tf.profile and in debug mode', async () => {
    const variable = threeNumbers();
    const step = () => tf.variableGrads(() => tf.sum(tf.tanh(variable)) as tf.Scalar, [variable]);
    for (let i = 0; i < 3; i++) tf.dispose(step() as never);
    const { kernelNames } = await tf.profile(() => {
      tf.dispose(step() as never);
    });
    expect(kernelNames).toEqual(expect.arrayContaining(['Identity', 'HooklineSlope']));
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    tf.env().set('DEBUG', true);
    tf.dispose(step() as never);
    tf.env().set('DEBUG', false);
    // It writes its lines later.
    await vi.waitFor(() => expect(log.mock.calls.map(String).join()).toContain('HooklineSlope'));
    log.mockRestore();
    variable.dispose();
  });

  it('is for one number and no given gradient; others are ordinary', () => {
    const x = tf.tensor1d([0.5, -1, 2]);
    const before = tf.memory().numTensors;
    for (let i = 1; i < 4; i++) {
      const gradients = tf.tidy(() => [
        tf.grad((a) => tf.mul(a, a))(x),
        tf.grad((a) => tf.mul(a, a))(x, tf.tensor1d([i, i, i])),
        tf.grad((a) => tf.sum(tf.mul(a, a)))(x, tf.scalar(i)),
      ]);
      const given = [i, -2 * i, 4 * i];
      expect(gradients.map((gradient) => [...gradient.dataSync()])).toEqual([[1, -2, 4], given, given]);
      tf.dispose(gradients);
    }
    expect(tf.memory().numTensors).toBe(before);
    x.dispose();
  });

  it('is not disturbed by other steps in a gradient function', () => {
    const [variable, other] = [threeNumbers(), threeNumbers()];
    let lengths: number[] = [];
    const hook = tf.customGrad((x) => ({
      value: tf.clone(x as tf.Tensor),
      gradFunc: (dy) => {
        for (const length of lengths) {
          const loss = () => tf.sum(tf.square(tf.tile(other, [length]))) as tf.Scalar;
          tf.dispose(tf.variableGrads(loss, [other]) as never);
        }
        return tf.clone(dy) as never;
      },
    }));
    const step = () => {
      const { value, grads } = tf.variableGrads(
        () => tf.sum(hook(tf.square(tf.square(variable)))) as tf.Scalar,
        [variable],
      );
      const result = [...grads[variable.name]!.dataSync()];
      tf.dispose([value, grads]);
      return result;
    };
    const before = tf.memory();
    expect(step()).toEqual([0.5, -4, 32]);
    // More than are remembered.
    lengths = Array.from({ length: 20 }, (_, i) => i + 1);
    for (let i = 0; i < 3; i++) expect(step()).toEqual([0.5, -4, 32]);
    expect(tf.memory()).toEqual(before);
    tf.dispose([variable, other]);
  });

  it('gives an x that is there twice the gradient of tfjs', () => {
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

  it('is taken from a recording as soon as one is there, after it was switched off and on', async () => {
    const { make, replayed } = RECORDED_STEPS['dense layers']!;
    for (let i = 0; i < 3; i++) {
      await ordinary();
      await verified();
      const { kernels } = runSteps(make);
      expect(kernels.map((count) => count === 0)).toEqual([false, ...Array(replayed).fill(true)]);
    }
  });
});
