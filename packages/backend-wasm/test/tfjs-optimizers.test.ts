import type { UpdateRuleSpec } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';
import { distance } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

const STEPS = 60;
const LR = 0.05;
const SIZE = 23;

interface Pair {
  /** The optimizer of tfjs, on cpu. */
  readonly stock: () => tf.Optimizer;
  readonly rule: UpdateRuleSpec;
  readonly slots: number;
  readonly momentum?: number;
}

const rmsprop = (centered: boolean): UpdateRuleSpec => ({
  kind: 'rmsprop',
  rho: 0.9,
  epsilon: 1e-3,
  centered,
});

/** Where tfjs and the rules of this project mean the same, for settings that both have. */
const PAIRS: Readonly<Record<string, Pair>> = {
  sgd: { stock: () => tf.train.sgd(LR), rule: { kind: 'sgd', nesterov: false }, slots: 0 },
  'sgd with momentum': {
    stock: () => tf.train.momentum(LR, 0.8),
    rule: { kind: 'sgd', nesterov: false },
    slots: 1,
    momentum: 0.8,
  },
  'sgd with the momentum of Nesterov': {
    stock: () => tf.train.momentum(LR, 0.8, true),
    rule: { kind: 'sgd', nesterov: true },
    slots: 1,
    momentum: 0.8,
  },
  adam: {
    stock: () => tf.train.adam(LR, 0.9, 0.99, 1e-4),
    // tfjs adds epsilon to a root that is corrected already, which is what this epsilon means.
    rule: { kind: 'adam', beta1: 0.9, beta2: 0.99, epsilon: 1e-4, decoupled: false },
    slots: 2,
  },
  adagrad: {
    stock: () => tf.train.adagrad(LR, 0.1),
    rule: { kind: 'adagrad', initialAccumulator: 0.1, epsilon: 0 },
    slots: 1,
  },
};

/** Those of which tfjs has another idea: its adadelta divides by what it knew before the step. */
const RULES: Readonly<Record<string, Pick<Pair, 'rule' | 'slots' | 'momentum'>>> = {
  ...PAIRS,
  adamw: { rule: { kind: 'adam', beta1: 0.9, beta2: 0.99, epsilon: 1e-4, decoupled: true }, slots: 2 },
  rmsprop: { rule: rmsprop(false), slots: 1 },
  'centred rmsprop with momentum': { rule: rmsprop(true), slots: 3, momentum: 0.8 },
  adadelta: { rule: { kind: 'adadelta', rho: 0.9, epsilon: 1e-4 }, slots: 2 },
  lion: { rule: { kind: 'lion', beta1: 0.9, beta2: 0.99 }, slots: 1 },
};

/** The gradients of each step: the same for both, since a small difference in the weights must not grow. */
function gradientsOf(step: number): tf.Tensor1D {
  const next = numbers(step + 1);
  return tf.tensor1d(Array.from({ length: SIZE }, (_, i) => (next() * 2 - 1) * (i % 5 === 0 ? 1e-3 : 1)));
}

const startOf = () => tf.linspace(-1, 1, SIZE);

function withStock({ stock }: Pair): Promise<number[][]> {
  return on('cpu', () => {
    const [optimizer, variable] = [stock(), tf.variable(startOf())];
    return Array.from({ length: STEPS }, (_, step) => {
      tf.tidy(() => optimizer.applyGradients([{ name: variable.name, tensor: gradientsOf(step) }]));
      return [...variable.dataSync()];
    });
  });
}

function withWasm({ rule, slots: count, momentum = 0 }: Pair, weightDecay = 0): Promise<number[][]> {
  return on('wasm', () => {
    const variable = tf.variable(startOf());
    const slots = Array.from({ length: count }, () => tf.zeros([SIZE]));
    return Array.from({ length: STEPS }, (_, step) => {
      const gradient = gradientsOf(step);
      const hyper = { lr: LR, momentum, weightDecay };
      expect(wasmAccelerator.update(rule, { variable, gradient, slots, step: step + 1, hyper })).toBe(true);
      return [...variable.dataSync()];
    });
  });
}

describe(`${STEPS} updates in place`, () => {
  it.each(Object.entries(PAIRS))('%s goes where the optimizer of tfjs goes', async (_name, pair) => {
    const [expected, actual] = [await withStock(pair), await withWasm(pair)];
    for (const [step, values] of expected.entries())
      expect(distance(actual[step]!, values), `step ${step + 1}`).toBeLessThan(5e-6);
  });

  it('decay of weights is what a penalty for large weights does to the gradient', async () => {
    const decay = 0.03;
    const penalised = await on('cpu', () => {
      const [optimizer, variable] = [tf.train.momentum(LR, 0.8), tf.variable(startOf())];
      return Array.from({ length: STEPS }, (_, step) => {
        tf.tidy(() => {
          const gradient = tf.add(gradientsOf(step), tf.mul(variable, decay));
          optimizer.applyGradients([{ name: variable.name, tensor: gradient }]);
        });
        return [...variable.dataSync()];
      });
    });
    const actual = await withWasm(PAIRS['sgd with momentum']!, decay);
    for (const [step, values] of penalised.entries())
      expect(distance(actual[step]!, values)).toBeLessThan(5e-6);
  });

  it.each([
    ['adamw', { kind: 'adam', beta1: 0.9, beta2: 0.99, epsilon: 1e-4, decoupled: true }, 2],
    ['lion', { kind: 'lion', beta1: 0.9, beta2: 0.99 }, 1],
  ] as [string, UpdateRuleSpec, number][])(
    '%s shrinks weights by the same share in each step, whatever the gradient is',
    async (_name, rule, count) => {
      const [lr, weightDecay, steps] = [0.1, 0.2, 10];
      const values = await on('wasm', () => {
        const variable = tf.variable(startOf());
        const slots = Array.from({ length: count }, () => tf.zeros([SIZE]));
        for (let step = 1; step <= steps; step++)
          wasmAccelerator.update(rule, {
            variable,
            gradient: tf.zeros([SIZE]),
            slots,
            step,
            hyper: { lr, weightDecay },
          });
        return [...variable.dataSync()];
      });
      const expected = await on('cpu', () =>
        [...startOf().dataSync()].map((value) => value * (1 - lr * weightDecay) ** steps),
      );
      expect(distance(values, expected)).toBeLessThan(1e-6);
    },
  );

  it.each([false, true])(
    'rmsprop, centred %s, divides by the root mean square of gradients',
    async (centered) => {
      // With the same gradient in each step both means have a closed form.
      const [g, steps, rho] = [0.5, 20, 0.9];
      const value = await on('wasm', () => {
        const variable = tf.variable(tf.zeros([1]));
        const slots = [tf.zeros([1]), ...(centered ? [tf.zeros([1])] : [])];
        for (let step = 1; step <= steps; step++)
          wasmAccelerator.update(rmsprop(centered), {
            variable,
            gradient: tf.fill([1], g),
            slots,
            step,
            hyper: { lr: LR },
          });
        return variable.dataSync()[0]!;
      });
      let expected = 0;
      for (let step = 1; step <= steps; step++) {
        const weight = 1 - rho ** step;
        const power = weight * g * g - (centered ? (weight * g) ** 2 : 0);
        expected -= (LR * g) / (Math.sqrt(power) + 1e-3);
      }
      expect(value / expected).toBeCloseTo(1, 4);
    },
  );

  it.each(Object.entries(RULES))(
    '%s stands still without a gradient, or without a rate',
    async (_name, pair) => {
      const still = await on('wasm', () => {
        const results = [
          { gradient: tf.zeros([SIZE]), lr: LR },
          { gradient: tf.ones([SIZE]), lr: 0 },
        ].map(({ gradient, lr }) => {
          const variable = tf.variable(startOf());
          const slots = Array.from({ length: pair.slots }, () => tf.zeros([SIZE]));
          const input = { variable, gradient, slots, step: 1, hyper: { lr, momentum: pair.momentum ?? 0 } };
          wasmAccelerator.update(pair.rule, input);
          return [...variable.dataSync()];
        });
        return { results, start: [...startOf().dataSync()] };
      });
      for (const values of still.results) expect(values).toEqual(still.start);
    },
  );

  it.each(Object.entries(RULES))('%s shows a NaN of the gradient, in its place only', async (_name, pair) => {
    const values = await on('wasm', () => {
      const [variable, gradient] = [tf.variable(startOf()), tf.buffer([SIZE])];
      gradient.set(Number.NaN, SIZE - 2);
      const slots = Array.from({ length: pair.slots }, () => tf.zeros([SIZE]));
      wasmAccelerator.update(pair.rule, {
        variable,
        gradient: gradient.toTensor(),
        slots,
        step: 1,
        hyper: { lr: LR, momentum: pair.momentum ?? 0 },
      });
      // Lion goes by signs, and that of NaN is 0 in tfjs: it only remembers it.
      const showing = pair.rule.kind === 'lion' ? slots : [variable, ...slots];
      return showing.map((tensor) => [...tensor.dataSync()].map(Number.isNaN));
    });
    const expected = Array.from({ length: SIZE }, (_, i) => i === SIZE - 2);
    for (const places of values) expect(places).toEqual(expected);
  });
});
