/** What is remembered about one number; everything starts at 0. */
type Memory = Record<'a' | 'b' | 'c', number>;

/** One number of a parameter and its gradient at a step, from 1: the number after the step. */
export type Reference = (weight: number, gradient: number, memory: Memory, step: number) => number;

/** Runs a formula in double precision over the gradients of each step. */
export function runReference(
  reference: Reference,
  start: readonly number[],
  gradients: readonly number[][],
): number[] {
  const memories = start.map((): Memory => ({ a: 0, b: 0, c: 0 }));
  let weights = [...start];
  for (const [index, each] of gradients.entries()) {
    weights = weights.map((weight, k) => reference(weight, each[k]!, memories[k]!, index + 1));
  }
  return weights;
}

export const sgd =
  (lr: number, { momentum = 0, nesterov = false, decay = 0 } = {}): Reference =>
  (weight, gradient, memory) => {
    const g = gradient + decay * weight;
    memory.a = momentum * memory.a + g;
    return weight - lr * (nesterov ? g + momentum * memory.a : memory.a);
  };

export const adam =
  (lr: number, { decay = 0, decoupled = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7 } = {}): Reference =>
  (weight, gradient, memory, step) => {
    const g = gradient + decay * weight;
    memory.a = beta1 * memory.a + (1 - beta1) * g;
    memory.b = beta2 * memory.b + (1 - beta2) * g * g;
    const mean = memory.a / (1 - beta1 ** step);
    const square = memory.b / (1 - beta2 ** step);
    return weight - lr * decoupled * weight - (lr * mean) / (Math.sqrt(square) + epsilon);
  };

export const rmsprop =
  (lr: number, { rho = 0.99, epsilon = 1e-8, momentum = 0, centered = false, decay = 0 } = {}): Reference =>
  (weight, gradient, memory) => {
    const g = gradient + decay * weight;
    memory.a += (1 - rho) * (g * g - memory.a);
    memory.b += (1 - rho) * (g - memory.b);
    const variance = memory.a - (centered ? memory.b ** 2 : 0);
    memory.c = momentum * memory.c + g / (Math.sqrt(variance) + epsilon);
    return weight - lr * memory.c;
  };

export const adagrad =
  (lr: number, { initial = 0, epsilon = 1e-10, decay = 0 } = {}): Reference =>
  (weight, gradient, memory, step) => {
    if (step === 1) memory.a = initial;
    const g = gradient + decay * weight;
    memory.a += g * g;
    return weight - (lr * g) / (Math.sqrt(memory.a) + epsilon);
  };

export const adadelta =
  (lr: number, { rho = 0.9, epsilon = 1e-6, decay = 0 } = {}): Reference =>
  (weight, gradient, memory) => {
    const g = gradient + decay * weight;
    memory.a = rho * memory.a + (1 - rho) * g * g;
    const delta = (g * Math.sqrt(memory.b + epsilon)) / Math.sqrt(memory.a + epsilon);
    memory.b = rho * memory.b + (1 - rho) * delta * delta;
    return weight - lr * delta;
  };

export const lion =
  (lr: number, { beta1 = 0.9, beta2 = 0.99, decoupled = 0 } = {}): Reference =>
  (weight, gradient, memory) => {
    const direction = Math.sign(beta1 * memory.a + (1 - beta1) * gradient);
    memory.a = beta2 * memory.a + (1 - beta2) * gradient;
    return weight - lr * (direction + decoupled * weight);
  };
