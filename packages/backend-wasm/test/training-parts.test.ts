import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining, type FusedRule, fusedLoss, gradientNorm, updateInPlace } from '../src/index.js';
import { numbers, on } from './backends.js';
import { distance } from './compare.js';

beforeAll(async () => {
  await enableTraining();
}, 60_000);

type Reference = (
  p: tf.Tensor,
  g: tf.Tensor,
  slots: tf.Tensor[],
  step: number,
) => { value: tf.Tensor; slots: tf.Tensor[] };

const [LR, MOMENTUM, DECAY] = [0.03, 0.8, 0.05];
const decayed = (p: tf.Tensor, g: tf.Tensor) => tf.add(g, tf.mul(p, DECAY));
const mixed = (last: tf.Tensor, keep: number, next: tf.Tensor) =>
  tf.add(tf.mul(last, keep), tf.mul(next, 1 - keep));
const sub = (p: tf.Tensor, step: tf.Tensor) => tf.sub(p, tf.mul(step, LR));

/** The portable rules, operation by operation. */
const RULES: readonly [string, FusedRule, number, Reference][] = [
  ['sgd', { kind: 'sgd', nesterov: false }, 0, (p, g) => ({ value: sub(p, decayed(p, g)), slots: [] })],
  ...[false, true].map((nesterov): [string, FusedRule, number, Reference] => [
    `sgd with momentum, nesterov ${nesterov}`,
    { kind: 'sgd', nesterov },
    1,
    (p, g, [v]) => {
      const gradient = decayed(p, g);
      const velocity = tf.add(tf.mul(v!, MOMENTUM), gradient);
      const direction = nesterov ? tf.add(gradient, tf.mul(velocity, MOMENTUM)) : velocity;
      return { value: sub(p, direction), slots: [velocity] };
    },
  ]),
  ...[false, true].map((decoupled): [string, FusedRule, number, Reference] => [
    decoupled ? 'adamw' : 'adam',
    { kind: 'adam', beta1: 0.9, beta2: 0.99, epsilon: 1e-7, decoupled },
    2,
    (p, g, [m, v], step) => {
      const gradient = decoupled ? g : decayed(p, g);
      const [mean, power] = [mixed(m!, 0.9, gradient), mixed(v!, 0.99, tf.square(gradient))];
      const correction = Math.sqrt(1 - 0.99 ** step);
      const size = (LR * correction) / (1 - 0.9 ** step);
      const direction = tf.mul(tf.div(mean, tf.add(tf.sqrt(power), 1e-7 * correction)), size);
      const kept = decoupled ? tf.mul(p, 1 - LR * DECAY) : p;
      return { value: tf.sub(kept, direction), slots: [mean, power] };
    },
  ]),
  ...[false, true].flatMap((centered) =>
    [0, MOMENTUM].map((momentum): [string, FusedRule, number, Reference] => [
      `rmsprop, centred ${centered}, momentum ${momentum}`,
      { kind: 'rmsprop', rho: 0.9, epsilon: 1e-8, centered },
      1 + Number(centered) + Number(momentum > 0),
      (p, g, slots) => {
        const gradient = decayed(p, g);
        const square = mixed(slots[0]!, 0.9, tf.square(gradient));
        const mean = centered ? mixed(slots[1]!, 0.9, gradient) : undefined;
        const power = mean ? tf.relu(tf.sub(square, tf.square(mean))) : square;
        const step = tf.div(gradient, tf.add(tf.sqrt(power), 1e-8));
        const kept = mean ? [square, mean] : [square];
        if (momentum === 0) return { value: sub(p, step), slots: kept };
        const velocity = tf.add(tf.mul(slots.at(-1)!, momentum), step);
        return { value: sub(p, velocity), slots: [...kept, velocity] };
      },
    ]),
  ),
  [
    'adagrad',
    { kind: 'adagrad', initialAccumulator: 0.1, epsilon: 1e-10 },
    1,
    (p, g, [sum]) => {
      const gradient = decayed(p, g);
      const total = tf.add(sum!, tf.square(gradient));
      return { value: sub(p, tf.div(gradient, tf.add(tf.sqrt(tf.add(total, 0.1)), 1e-10))), slots: [total] };
    },
  ],
  [
    'adadelta',
    { kind: 'adadelta', rho: 0.9, epsilon: 1e-6 },
    2,
    (p, g, [square, delta]) => {
      const gradient = decayed(p, g);
      const power = mixed(square!, 0.9, tf.square(gradient));
      const step = tf.mul(tf.div(tf.sqrt(tf.add(delta!, 1e-6)), tf.sqrt(tf.add(power, 1e-6))), gradient);
      return { value: sub(p, step), slots: [power, mixed(delta!, 0.9, tf.square(step))] };
    },
  ],
  [
    'lion',
    { kind: 'lion', beta1: 0.9, beta2: 0.99 },
    1,
    (p, g, [m]) => ({
      value: tf.sub(tf.mul(p, 1 - LR * DECAY), tf.mul(tf.sign(mixed(m!, 0.9, g)), LR)),
      slots: [mixed(m!, 0.99, g)],
    }),
  ],
];

function random(seed: number, size: number): tf.Tensor1D {
  const next = numbers(seed);
  return tf.tensor1d(Array.from({ length: size }, () => next() * 2 - 1));
}

describe('updateInPlace', () => {
  it.each(RULES)(
    'moves parameters as the portable %s does, to the bit',
    async (_name, rule, count, reference) => {
      for (const size of [1, 3, 8, 37]) {
        const [actual, expected] = await on('wasm', () => {
          const variable = tf.variable(random(1, size));
          const slots = Array.from({ length: count }, () => tf.zeros([size]));
          let portable = {
            value: random(1, size) as tf.Tensor,
            slots: Array.from({ length: count }, () => tf.zeros([size])),
          };
          for (let step = 1; step <= 5; step++) {
            const gradient = random(step + 1, size);
            const hyper = {
              lr: LR,
              momentum: rule.kind === 'rmsprop' && count === 1 ? 0 : MOMENTUM,
              weightDecay: DECAY,
            };
            expect(updateInPlace(rule, { variable, gradient, slots, step, hyper })).toBe(true);
            portable = reference(portable.value, gradient, portable.slots, step);
          }
          const read = (tensors: tf.Tensor[]) => tensors.map((tensor) => [...tensor.dataSync()]);
          return [read([variable, ...slots]), read([portable.value, ...portable.slots])];
        });
        expect(actual).toEqual(expected);
      }
    },
  );

  it.each([
    ['sgd', { kind: 'sgd', nesterov: false }, 1],
    ['adam', { kind: 'adam', beta1: 0.9, beta2: 0.99, epsilon: 1e-7, decoupled: false }, 2],
    ['rmsprop', { kind: 'rmsprop', rho: 0.9, epsilon: 1e-8, centered: true }, 3],
    ['adadelta', { kind: 'adadelta', rho: 0.9, epsilon: 1e-6 }, 2],
  ] as [string, FusedRule, number][])(
    '%s forgets what has become too small to be fast, and no more than that',
    async (_name, rule, count) => {
      const slots = await on('wasm', () => {
        const given = Array.from({ length: count }, () =>
          tf.tensor1d([1e-42, -1e-42, 1e-30, Number.NaN, 1e-42]),
        );
        const variable = tf.variable(tf.zeros([5]));
        const input = { variable, gradient: tf.zeros([5]), slots: given, step: 9 };
        updateInPlace(rule, { ...input, hyper: { lr: 0.1, momentum: 0.9 } });
        return given.map((slot) => [...slot.dataSync()]);
      });
      for (const [gone, negative, kept, broken, last] of slots) {
        expect([gone, negative, last].map(Math.abs as (x?: number) => number)).toEqual([0, 0, 0]);
        expect(kept).toBeGreaterThan(5e-31);
        expect(broken).toBeNaN();
      }
    },
  );

  it('leaves clones of a parameter as they were', async () => {
    const [clone, moved] = await on('wasm', () => {
      const variable = tf.variable(tf.tensor1d([1, 2]));
      const copy = tf.clone(variable);
      const input = { variable, gradient: tf.tensor1d([1, 1]), slots: [], step: 1, hyper: { lr: 0.5 } };
      updateInPlace({ kind: 'sgd', nesterov: false }, input);
      return [[...copy.dataSync()], [...variable.dataSync()]];
    });
    expect(clone).toEqual([1, 2]);
    expect(moved).toEqual([0.5, 1.5]);
  });

  it('does nothing on another backend, or with a slot that somebody has a clone of', async () => {
    const rule: FusedRule = { kind: 'sgd', nesterov: false };
    const input = () => ({
      variable: tf.variable(tf.tensor1d([1])),
      gradient: tf.tensor1d([1]),
      step: 1,
      hyper: { lr: 1 },
    });
    expect(await on('cpu', () => updateInPlace(rule, { ...input(), slots: [] }))).toBe(false);
    const [done, value] = await on('wasm', () => {
      const slot = tf.zeros([1]);
      tf.clone(slot);
      const given = { ...input(), slots: [slot] };
      return [updateInPlace(rule, given), given.variable.dataSync()[0]];
    });
    expect([done, value]).toEqual([false, 1]);
  });

  it('is seen by kernels of tfjs, which keep weights packed', async () => {
    await tf.setBackend('wasm');
    const x = tf.ones([1, 3, 3, 2]) as tf.Tensor4D;
    const weights = tf.variable(tf.ones([1, 1, 2, 1]) as tf.Tensor4D);
    const gradient = tf.ones([1, 1, 2, 1]);
    const run = () => tf.tidy(() => tf.sum(tf.depthwiseConv2d(x, weights, 1, 'same')).dataSync()[0]!);
    (await enableTraining()).disable();
    const before = run();
    await enableTraining();
    const input = { variable: weights, gradient, slots: [], step: 1, hyper: { lr: 0.5 } };
    updateInPlace({ kind: 'sgd', nesterov: false }, input);
    (await enableTraining()).disable();
    const after = run();
    await enableTraining();
    tf.dispose([x, weights, gradient]);
    expect([before, after]).toEqual([18, 9]);
  });
});

describe('gradientNorm', () => {
  it('is the norm of all together, and not finite where one of them is not', async () => {
    const norms = await on('wasm', () => [
      gradientNorm([
        tf.tensor1d([3]),
        tf.tensor2d([
          [0, 4],
          [0, 0],
        ]),
      ]),
      gradientNorm([random(1, 1001)]),
      gradientNorm([tf.tensor1d([1, Number.NaN]), tf.tensor1d([1])]),
      gradientNorm([tf.tensor1d([1, Number.NEGATIVE_INFINITY])]),
      tf.norm(random(1, 1001)).dataSync()[0],
      gradientNorm([tf.tensor1d([3e30, 0, 0, 0, 4e30])]),
      gradientNorm([tf.tensor1d([3e-30, 0, 0, 0, 4e-30])]),
    ]);
    expect(norms[0]).toBe(5);
    expect(norms[1]).toBeCloseTo(norms[4]!, 4);
    expect(norms[2]).toBeNaN();
    expect(norms[3]).toBe(Number.POSITIVE_INFINITY);
    expect(norms[5]! / 5e30).toBeCloseTo(1, 6); // squares that no float holds
    expect(norms[6]! / 5e-30).toBeCloseTo(1, 6);
    expect(await on('cpu', () => gradientNorm([tf.tensor1d([1])]))).toBeUndefined();
  });
});

/** As the trainer writes them. */
const LOSSES: Readonly<Record<string, (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor>> = {
  meanSquaredError: (t, p) => tf.mean(tf.square(tf.sub(p, t))),
  binaryCrossentropy: (t, p) => {
    const q = tf.clipByValue(p, 1e-7, 1 - 1e-7);
    return tf.mean(tf.neg(tf.add(tf.mul(t, tf.log(q)), tf.mul(tf.sub(1, t), tf.log(tf.sub(1, q))))));
  },
  sigmoidCrossentropy: (t, p) => tf.mean(tf.sub(tf.softplus(p), tf.mul(t, p))),
  categoricalCrossentropy: (t, p) =>
    tf.mean(tf.neg(tf.sum(tf.mul(t, tf.log(tf.clipByValue(p, 1e-7, 1 - 1e-7))), -1))),
  softmaxCrossentropy: (t, p) => tf.mean(tf.neg(tf.sum(tf.mul(t, tf.logSoftmax(p)), -1))),
};

describe('fusedLoss', () => {
  const isLogits = (name: string) => /softmax|sigmoid|Squared/.test(name);
  it.each(Object.keys(LOSSES))(
    '%s has the value and the gradient of the operations it stands for',
    async (name) => {
      for (const shape of [
        [6, 5],
        [3, 4, 7],
        [1, 1],
        [9, 1],
      ]) {
        const both = (loss: (t: tf.Tensor, p: tf.Tensor) => tf.Tensor) => {
          const size = tf.util.sizeFromShape(shape);
          const targets = tf.reshape(tf.abs(random(3, size)), shape);
          const raw = tf.reshape(random(4, size), shape);
          const outputs = isLogits(name) ? tf.mul(raw, 9) : tf.clipByValue(tf.abs(raw), 0, 1);
          // Another slope than 1 arrives from what the loss is part of.
          const { value, grad } = tf.valueAndGrad((p) => tf.mul(loss(targets, p), 3))(outputs);
          return [value, grad].map((tensor) => [...tensor.dataSync()]);
        };
        const expected = await on('cpu', () => both(LOSSES[name]!));
        const actual = await on('wasm', () => both((t, p) => fusedLoss(name, t, p)!));
        for (const [i, values] of actual.entries()) expect(distance(values, expected[i]!)).toBeLessThan(2e-5);
      }
    },
  );

  it('is exact for what is improbable, needs no logits where nothing is expected, and shows NaN', async () => {
    const both = (name: string, target: number, outputs: number[]) =>
      on('wasm', () => {
        const targets = tf.oneHot(tf.tensor1d([target], 'int32'), outputs.length);
        const loss = (p: tf.Tensor) => fusedLoss(name, targets, p)!;
        const { value, grad } = tf.valueAndGrad(loss)(tf.tensor2d([outputs]));
        return { value: value.dataSync()[0], gradient: [...grad.dataSync()] };
      });
    const improbable = await both('softmaxCrossentropy', 0, [0, 200, Number.NEGATIVE_INFINITY, 3, 5]);
    expect(improbable).toEqual({ value: 200, gradient: [-1, 1, 0, 0, 0] });
    for (const name of ['softmaxCrossentropy', 'categoricalCrossentropy']) {
      const broken = await both(name, 1, [0.1, Number.NaN, 0.2, 0.3, 0.4]);
      expect(broken.value).toBeNaN();
      expect(broken.gradient[1]).toBeNaN();
    }
    const clipped = await both('categoricalCrossentropy', 4, [0.2, 0.2, 0.3, 0.3, 0]);
    expect(clipped.value).toBeCloseTo(-Math.log(1e-7), 4);
    expect(clipped.gradient.map(Math.abs)).toEqual([0, 0, 0, 0, 0]);
  });

  it('takes integer targets, and is undefined where it cannot be computed in one go', async () => {
    const results = await on('wasm', () => {
      const outputs = tf.tensor2d([[0.9, 0.1]]);
      const targets = tf.tensor2d([[1, 0]], [1, 2], 'int32');
      return [
        fusedLoss('categoricalCrossentropy', targets, outputs)?.dataSync()[0],
        fusedLoss('hinge', targets, outputs),
        fusedLoss('meanSquaredError', tf.tensor1d([1]), outputs),
      ];
    });
    expect(results[0]).toBeCloseTo(-Math.log(0.9), 6);
    expect(results.slice(1)).toEqual([undefined, undefined]);
    expect(await on('cpu', () => fusedLoss('meanSquaredError', tf.ones([1]), tf.ones([1])))).toBeUndefined();
  });
});
