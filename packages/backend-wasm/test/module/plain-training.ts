import { blocksOf, LOSS_NUMBERS } from '../../src/kernels/blocks.js';
import type { Plain, PlainMemory } from './plain-memory.js';
import { softmaxOf } from './plain-numbers.js';
import { total } from './plain-products.js';

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
/** The floats nearest to both ends: what is left to 1 is a fifth more than epsilon. */
const ends = (epsilon: number) => [Math.fround(epsilon), Math.fround(1 - epsilon)] as const;
const clip = (p: number, epsilon: number) => Math.min(Math.max(p, ends(epsilon)[0]), ends(epsilon)[1]);
const isInside = (p: number, epsilon: number) => clip(p, epsilon) === p;

export const PLAIN_LOSSES: Readonly<Record<string, Plain>> = {
  categoricalCrossentropy: (memory, p, target, totals, n, epsilon) =>
    leaveTotals(
      memory,
      totals!,
      n!,
      (i) => -memory.get(target!, i) * Math.log(clip(memory.get(p!, i), epsilon!)),
    ),

  categoricalCrossentropyGradient: (memory, p, target, out, n, epsilon, share) => {
    for (let i = 0; i < n!; i++) {
      const x = memory.get(p!, i);
      const slope = isInside(x, epsilon!) ? -memory.get(target!, i) / x : 0;
      memory.put(out!, i, share! * slope);
    }
  },

  softmaxCrossentropy: (memory, x, target, probabilities, totals, height, width) => {
    for (let r = 0; r < height!; r++) {
      const row = softmaxOf(rowOf(memory, x!, r, width!));
      for (const [c, p] of row.entries()) memory.put(probabilities!, r * width! + c, p);
      const terms = row.map((p, c) => -memory.get(target!, r * width! + c) * Math.log(p));
      memory.putDouble(
        totals!,
        r,
        terms.reduce((sum, term) => sum + term, 0),
        LOSS_TOLERANCE,
      );
    }
  },

  softmaxCrossentropyGradient: (memory, probabilities, target, out, height, width, share) => {
    for (let r = 0; r < height!; r++) {
      const sum = total(width!, (c) => memory.get(target!, r * width! + c));
      for (let c = 0; c < width!; c++) {
        const at = r * width! + c;
        const slope = sum * memory.get(probabilities!, at) - memory.get(target!, at);
        memory.put(out!, at, share! * slope);
      }
    }
  },

  meanSquaredError: (memory, p, target, totals, n) =>
    leaveTotals(memory, totals!, n!, (i) => (memory.get(p!, i) - memory.get(target!, i)) ** 2),

  meanSquaredErrorGradient: (memory, p, target, out, n, share) => {
    for (let i = 0; i < n!; i++)
      memory.put(out!, i, 2 * share! * (memory.get(p!, i) - memory.get(target!, i)));
  },

  sigmoidCrossentropy: (memory, x, target, totals, n) =>
    leaveTotals(
      memory,
      totals!,
      n!,
      (i) => Math.log1p(Math.exp(memory.get(x!, i))) - memory.get(target!, i) * memory.get(x!, i),
    ),

  sigmoidCrossentropyGradient: (memory, x, target, out, n, share) => {
    for (let i = 0; i < n!; i++)
      memory.put(out!, i, share! * (sigmoid(memory.get(x!, i)) - memory.get(target!, i)));
  },

  binaryCrossentropy: (memory, p, target, totals, n, epsilon) =>
    leaveTotals(memory, totals!, n!, (i) => {
      const [x, y] = [clip(memory.get(p!, i), epsilon!), memory.get(target!, i)];
      return -(y * Math.log(x) + (1 - y) * Math.log(1 - x));
    }),

  binaryCrossentropyGradient: (memory, p, target, out, n, epsilon, share) => {
    for (let i = 0; i < n!; i++) {
      const [x, y] = [memory.get(p!, i), memory.get(target!, i)];
      memory.put(out!, i, isInside(x, epsilon!) ? share! * ((1 - y) / (1 - x) - y / x) : 0);
    }
  },

  joinTotals: (memory, totals, out, count, divisor) =>
    memory.put(out!, 0, total(count!, (i) => memory.double(totals!, i)) / divisor!),
};

/** Their terms are floats, and these here doubles. */
const LOSS_TOLERANCE = 2e-5;

/** A double for each block of numbers. */
function leaveTotals(memory: PlainMemory, totals: number, n: number, term: (i: number) => number): void {
  for (let block = 0; block < blocksOf(n, LOSS_NUMBERS); block++) {
    const first = block * LOSS_NUMBERS;
    const sum = total(Math.min(LOSS_NUMBERS, n - first), (i) => term(first + i));
    memory.putDouble(totals, block, sum, LOSS_TOLERANCE);
  }
}

/** One step each, as the papers and Keras have them. */
export const PLAIN_OPTIMIZERS: Readonly<Record<string, Plain>> = {
  sgd: (memory, p, v, g, n, lr, momentum, nesterov, decay) => {
    for (let i = 0; i < n!; i++) {
      const gradient = memory.get(g!, i) + decay! * memory.get(p!, i);
      const velocity = v ? momentum! * memory.get(v, i) + gradient : gradient;
      if (v) memory.put(v, i, velocity);
      memory.add(p!, i, -lr! * (v && nesterov ? gradient + momentum! * velocity : velocity));
    }
  },

  adam: (memory, p, m, v, g, n, beta1, rest1, beta2, rest2, epsilon, size, decay, keep) => {
    for (let i = 0; i < n!; i++) {
      const gradient = memory.get(g!, i) + decay! * memory.get(p!, i);
      memory.put(m!, i, beta1! * memory.get(m!, i) + rest1! * gradient);
      memory.put(v!, i, beta2! * memory.get(v!, i) + rest2! * gradient ** 2);
      const step = (size! * memory.get(m!, i)) / (Math.sqrt(memory.get(v!, i)) + epsilon!);
      memory.put(p!, i, keep! * memory.get(p!, i) - step);
    }
  },

  rmsprop: (memory, p, square, mean, velocity, g, n, lr, rho, rest, epsilon, momentum, decay) => {
    for (let i = 0; i < n!; i++) {
      const gradient = memory.get(g!, i) + decay! * memory.get(p!, i);
      memory.put(square!, i, rho! * memory.get(square!, i) + rest! * gradient ** 2);
      if (mean) memory.put(mean, i, rho! * memory.get(mean, i) + rest! * gradient);
      const power = memory.get(square!, i) - (mean ? memory.get(mean, i) ** 2 : 0);
      let step = gradient / (Math.sqrt(Math.max(power, 0)) + epsilon!);
      if (velocity) {
        step += momentum! * memory.get(velocity, i);
        memory.put(velocity, i, step);
      }
      memory.add(p!, i, -lr! * step);
    }
  },

  adagrad: (memory, p, sum, g, n, lr, start, epsilon, decay) => {
    for (let i = 0; i < n!; i++) {
      const gradient = memory.get(g!, i) + decay! * memory.get(p!, i);
      memory.add(sum!, i, gradient ** 2);
      memory.add(p!, i, (-lr! * gradient) / (Math.sqrt(memory.get(sum!, i) + start!) + epsilon!));
    }
  },

  adadelta: (memory, p, square, delta, g, n, lr, rho, rest, epsilon, decay) => {
    for (let i = 0; i < n!; i++) {
      const gradient = memory.get(g!, i) + decay! * memory.get(p!, i);
      memory.put(square!, i, rho! * memory.get(square!, i) + rest! * gradient ** 2);
      const ratio = (memory.get(delta!, i) + epsilon!) / (memory.get(square!, i) + epsilon!);
      const step = Math.sqrt(ratio) * gradient;
      memory.put(delta!, i, rho! * memory.get(delta!, i) + rest! * step ** 2);
      memory.add(p!, i, -lr! * step);
    }
  },

  lion: (memory, p, m, g, n, lr, beta1, rest1, beta2, rest2, keep) => {
    for (let i = 0; i < n!; i++) {
      const [last, gradient] = [memory.get(m!, i), memory.get(g!, i)];
      const step = lr! * Math.sign(beta1! * last + rest1! * gradient);
      memory.put(p!, i, keep! * memory.get(p!, i) - step);
      memory.put(m!, i, beta2! * last + rest2! * gradient);
    }
  },
};

function rowOf(memory: PlainMemory, at: number, row: number, width: number): number[] {
  return Array.from({ length: width }, (_, c) => memory.get(at, row * width + c));
}
