import type { UpdateRuleSpec } from '@hookline/numerics';
import type { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import type { Hyperparameters } from './rules/update-rule.js';

interface Input {
  value: tf.Tensor;
  gradient: tf.Tensor;
  slots: readonly tf.Tensor[];
  step: number;
  hyper: Hyperparameters;
}

/**
 * What the portable rule gives, to the bit, in one loop over the numbers: the new value and the new slots, which belong
 * to the caller. On cpu a step of a small network is mostly the operations of its optimizer. Undefined on other
 * backends. The arrays are new ones, because on cpu a tensor shares its memory with those who made or read it.
 */
export function updateOnCpu(rule: UpdateRuleSpec, input: Input): tf.Tensor[] | undefined {
  if (tf.getBackend() !== 'cpu') return undefined;
  const { data } = tf.backend() as MathBackendCPU;
  const [p, g, ...slots] = [input.value, input.gradient, ...input.slots].map(
    ({ dataId }) => data.get(dataId).values,
  );
  if (![p, g, ...slots].every((values) => values instanceof Float32Array)) return undefined;
  const [next, ...nextSlots] = [p, ...slots].map((values) => new Float32Array(values!.length));
  const arrays = { p, g, slots, next, nextSlots } as Arrays;
  const move = moveOf(rule, arrays, input);
  for (let i = 0; i < arrays.p.length; i++) move(i);
  return [arrays.next, ...nextSlots].map((array) => tf.tensor(array, input.value.shape));
}

interface Arrays {
  p: Float32Array;
  g: Float32Array;
  slots: Float32Array[];
  next: Float32Array;
  nextSlots: Float32Array[];
}

type Move = (i: number) => void;

/** Each operation of tfjs rounds its result to a float, and so does each of these. */
const f = Math.fround;

function moveOf(rule: UpdateRuleSpec, arrays: Arrays, { step, hyper }: Input): Move {
  const { p, g, next } = arrays;
  const [lr, momentum, decay] = [f(hyper.lr), f(hyper.momentum ?? 0), f(hyper.weightDecay ?? 0)];
  const decayed = decay === 0 ? (i: number) => g[i]! : (i: number) => f(g[i]! + f(p[i]! * decay));
  const subtract = (i: number, direction: number) => {
    next[i] = p[i]! - f(direction * lr);
  };
  switch (rule.kind) {
    case 'sgd':
      return sgd(rule, arrays, decayed, subtract, momentum);
    case 'adam':
      return adam(rule, arrays, decayed, step, hyper);
    case 'rmsprop':
      return rmsprop(rule, arrays, decayed, subtract, momentum);
    case 'adagrad':
      return adagrad(rule, arrays, decayed, subtract);
    case 'adadelta':
      return adadelta(rule, arrays, decayed, subtract);
    case 'lion':
      return lion(rule, arrays, hyper);
  }
}

type Decayed = (i: number) => number;
type Subtract = (i: number, direction: number) => void;
type Rule<Kind extends UpdateRuleSpec['kind']> = Extract<UpdateRuleSpec, { kind: Kind }>;

function sgd(
  { nesterov }: Rule<'sgd'>,
  { slots: [v], nextSlots: [nextV] }: Arrays,
  decayed: Decayed,
  subtract: Subtract,
  momentum: number,
): Move {
  if (!v) return (i) => subtract(i, decayed(i));
  return (i) => {
    const gradient = decayed(i);
    const velocity = f(f(v[i]! * momentum) + gradient);
    nextV![i] = velocity;
    subtract(i, nesterov ? f(gradient + f(velocity * momentum)) : velocity);
  };
}

function adam(
  { beta1, beta2, epsilon, decoupled }: Rule<'adam'>,
  { p, g, next, slots: [m, v], nextSlots: [nextM, nextV] }: Arrays,
  decayed: Decayed,
  step: number,
  { lr, weightDecay = 0 }: Hyperparameters,
): Move {
  const correction = Math.sqrt(1 - beta2 ** step);
  const size = f((lr * correction) / (1 - beta1 ** step));
  const small = f(epsilon * correction);
  const keep = f(1 - lr * weightDecay);
  const [keep1, rest1, keep2, rest2] = [f(beta1), f(1 - beta1), f(beta2), f(1 - beta2)];
  return (i) => {
    const gradient = decoupled ? g[i]! : decayed(i);
    const mean = f(f(m![i]! * keep1) + f(gradient * rest1));
    const power = f(f(v![i]! * keep2) + f(f(gradient * gradient) * rest2));
    nextM![i] = mean;
    nextV![i] = power;
    const direction = f(f(mean / f(f(Math.sqrt(power)) + small)) * size);
    next[i] = (decoupled ? f(p[i]! * keep) : p[i]!) - direction;
  };
}

function rmsprop(
  { rho, epsilon, centered }: Rule<'rmsprop'>,
  { slots, nextSlots }: Arrays,
  decayed: Decayed,
  subtract: Subtract,
  momentum: number,
): Move {
  const [keep, rest, small] = [f(rho), f(1 - rho), f(epsilon)];
  const [square, nextSquare] = [slots[0]!, nextSlots[0]!];
  const [mean, nextMean] = centered ? [slots[1]!, nextSlots[1]!] : [];
  const [velocity, nextVelocity] = [slots[centered ? 2 : 1], nextSlots[centered ? 2 : 1]];
  return (i) => {
    const gradient = decayed(i);
    let power = f(f(square[i]! * keep) + f(f(gradient * gradient) * rest));
    nextSquare[i] = power;
    if (mean) {
      const average = f(f(mean[i]! * keep) + f(gradient * rest));
      nextMean![i] = average;
      power = Math.max(0, f(power - f(average * average)));
    }
    let direction = f(gradient / f(f(Math.sqrt(power)) + small));
    if (velocity) {
      direction = f(f(velocity[i]! * momentum) + direction);
      nextVelocity![i] = direction;
    }
    subtract(i, direction);
  };
}

function adagrad(
  { initialAccumulator, epsilon }: Rule<'adagrad'>,
  { slots: [sum], nextSlots: [nextSum] }: Arrays,
  decayed: Decayed,
  subtract: Subtract,
): Move {
  const [start, small] = [f(initialAccumulator), f(epsilon)];
  return (i) => {
    const gradient = decayed(i);
    const total = f(sum![i]! + f(gradient * gradient));
    nextSum![i] = total;
    subtract(i, f(gradient / f(f(Math.sqrt(f(total + start))) + small)));
  };
}

function adadelta(
  { rho, epsilon }: Rule<'adadelta'>,
  { slots: [square, delta], nextSlots: [nextSquare, nextDelta] }: Arrays,
  decayed: Decayed,
  subtract: Subtract,
): Move {
  const [keep, rest, small] = [f(rho), f(1 - rho), f(epsilon)];
  const root = (mean: number) => f(Math.sqrt(f(mean + small)));
  return (i) => {
    const gradient = decayed(i);
    const power = f(f(square![i]! * keep) + f(f(gradient * gradient) * rest));
    nextSquare![i] = power;
    const direction = f(f(root(delta![i]!) / root(power)) * gradient);
    nextDelta![i] = f(f(delta![i]! * keep) + f(f(direction * direction) * rest));
    subtract(i, direction);
  };
}

function lion(
  { beta1, beta2 }: Rule<'lion'>,
  { p, g, next, slots: [m], nextSlots: [nextM] }: Arrays,
  { lr, weightDecay = 0 }: Hyperparameters,
): Move {
  const mixed = (i: number, keep: number, rest: number) => f(f(m![i]! * keep) + f(g[i]! * rest));
  const [keep1, rest1, keep2, rest2] = [f(beta1), f(1 - beta1), f(beta2), f(1 - beta2)];
  const keep = weightDecay === 0 ? 1 : f(1 - lr * weightDecay);
  const size = f(lr);
  return (i) => {
    const direction = mixed(i, keep1, rest1);
    next[i] = f(p[i]! * keep) - (direction > 0 ? size : direction < 0 ? -size : 0);
    nextM![i] = mixed(i, keep2, rest2);
  };
}
