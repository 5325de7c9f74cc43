import type { UpdateRuleSpec } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { numbers, on } from './backends.js';

const { update } = wasmAccelerator;

beforeAll(async () => {
  await enableTraining();
});

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
const RULES: readonly [string, UpdateRuleSpec, number, Reference][] = [
  ['sgd', { kind: 'sgd', nesterov: false }, 0, (p, g) => ({ value: sub(p, decayed(p, g)), slots: [] })],
  ...[false, true].map((nesterov): [string, UpdateRuleSpec, number, Reference] => [
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
  ...[false, true].map((decoupled): [string, UpdateRuleSpec, number, Reference] => [
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
    [0, MOMENTUM].map((momentum): [string, UpdateRuleSpec, number, Reference] => [
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

describe('an update in place', () => {
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
            expect(update(rule, { variable, gradient, slots, step, hyper })).toBe(true);
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
  ] as [string, UpdateRuleSpec, number][])(
    '%s forgets what has become too small to be fast, and no more than that',
    async (_name, rule, count) => {
      const slots = await on('wasm', () => {
        const given = Array.from({ length: count }, () =>
          tf.tensor1d([1e-42, -1e-42, 1e-30, Number.NaN, 1e-42]),
        );
        const variable = tf.variable(tf.zeros([5]));
        const input = { variable, gradient: tf.zeros([5]), slots: given, step: 9 };
        update(rule, { ...input, hyper: { lr: 0.1, momentum: 0.9 } });
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
      update({ kind: 'sgd', nesterov: false }, input);
      return [[...copy.dataSync()], [...variable.dataSync()]];
    });
    expect(clone).toEqual([1, 2]);
    expect(moved).toEqual([0.5, 1.5]);
  });

  it('does nothing on another backend, or with a slot that somebody has a clone of', async () => {
    const rule: UpdateRuleSpec = { kind: 'sgd', nesterov: false };
    const input = () => ({
      variable: tf.variable(tf.tensor1d([1])),
      gradient: tf.tensor1d([1]),
      step: 1,
      hyper: { lr: 1 },
    });
    expect(await on('cpu', () => update(rule, { ...input(), slots: [] }))).toBe(false);
    const [done, value] = await on('wasm', () => {
      const slot = tf.zeros([1]);
      tf.clone(slot);
      const given = { ...input(), slots: [slot] };
      return [update(rule, given), given.variable.dataSync()[0]];
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
    update({ kind: 'sgd', nesterov: false }, input);
    (await enableTraining()).disable();
    const after = run();
    await enableTraining();
    tf.dispose([x, weights, gradient]);
    expect([before, after]).toEqual([18, 9]);
  });
});
