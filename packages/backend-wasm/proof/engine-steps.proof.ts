import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { numbers } from '../test/backends.js';
import { runSteps, type Steps } from '../test/steps.js';

const SEEDS = Array.from({ length: 250 }, (_, i) => i + 1);

beforeAll(async () => {
  await tf.setBackend('wasm');
}, 120_000);

afterAll(async () => {
  (await enableTraining()).disable();
});

describe('steps of random functions on the fast engine', () => {
  it('have the bits of the tfjs engine, whatever changes from one step to the next', async () => {
    await enableTraining({ engine: false });
    const expected = SEEDS.map((seed) => runSteps(() => randomSteps(seed)));
    await enableTraining({ engine: true });
    for (const [i, seed] of SEEDS.entries()) {
      const actual = runSteps(() => randomSteps(seed));
      expect(actual.numbers, `seed ${seed}`).toEqual(expected[i]!.numbers);
      expect(actual.left, `seed ${seed}`).toEqual({ numTensors: 0, numBytes: 0, numDataBuffers: 0 });
    }
  }, 300_000);
});

type Random = () => number;
type Operation = (a: tf.Tensor, b: tf.Tensor, random: Random) => tf.Tensor;

/** All of [3, 3], so that any can take the place of any other. `random` is for choices inside an operation. */
const OPERATIONS: readonly Operation[] = [
  (a, b) => tf.add(a, b),
  (a, b) => tf.sub(a, b),
  (a, b) => tf.mul(a, b),
  (a, b) => tf.add(a, tf.slice(b, [0, 0], [1, 3])),
  (a, b) => tf.mul(a, tf.slice(b, [0, 0], [3, 1])),
  (a, b, random) => tf.matMul(a, b, random() < 0.5, random() < 0.5),
  (a) => tf.transpose(a),
  (a) => tf.reshape(tf.transpose(tf.reshape(a, [3, 3, 1]), [2, 1, 0]), [3, 3]),
  (a) => tf.tanh(a),
  (a) => tf.sigmoid(a),
  (a) => tf.relu(a),
  (a) => tf.neg(a),
  (a) => tf.square(tf.tanh(a)),
  (a) => tf.exp(tf.tanh(a)),
  (a) => tf.softmax(a),
  (a, b) => tf.add(b, tf.mean(a, 0, true)),
  (a, b) => tf.add(b, tf.sum(a, 1, true)),
  (a, b) => tf.maximum(a, b),
  (a, _b, random) =>
    tf.gather(
      a,
      tf.tensor1d(
        [0, 1, 2].map(() => Math.floor(random() * 3)),
        'int32',
      ),
    ),
  (a, _b, random) => tf.mul(a, random()),
  (a) => tf.tensor2d(a.dataSync() as Float32Array, [3, 3]),
  (a, b, random) => {
    const factor = random();
    const hook = tf.customGrad((x, y) => ({
      value: tf.add(x as tf.Tensor, y as tf.Tensor),
      gradFunc: (dy) => [tf.mul(dy, factor), tf.clone(dy)],
    }));
    return hook(a, b);
  },
];

/** A function of three variables. In most steps it is that of the step before; in the others a part of it changes. */
function randomSteps(seed: number): Steps {
  const random = numbers(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const variables = Array.from({ length: 3 }, () =>
    tf.tidy(() =>
      tf.variable(
        tf.tensor2d(
          Array.from({ length: 9 }, () => random() - 0.5),
          [3, 3],
        ),
      ),
    ),
  );
  const node = () => ({ operation: pick(OPERATIONS.length), a: random(), b: random(), hidden: pick(1000) });
  const graph = Array.from({ length: 2 + pick(7) }, node);
  let wanted = [...variables];
  return {
    variables: () => wanted,
    before: () => {
      const chance = random();
      if (chance < 0.15) graph[pick(graph.length)] = node();
      else if (chance < 0.25) graph[pick(graph.length)]!.a = random();
      else if (chance < 0.35) graph[pick(graph.length)]!.hidden = pick(1000);
      else if (chance < 0.4) wanted = [...wanted].reverse();
      else if (chance < 0.45) wanted = variables.slice(pick(2));
    },
    loss: () => {
      const made: tf.Tensor[] = [...variables];
      for (const { operation, a, b, hidden } of graph) {
        const [left, right] = [a, b].map((at) => made[Math.floor(at * made.length)]!);
        made.push(OPERATIONS[operation]!(left!, right!, numbers(hidden)));
      }
      // All variables are part of it, so that there is always a gradient.
      const all = variables.reduce<tf.Tensor>((sum, variable) => tf.add(sum, variable), made.at(-1)!);
      return tf.mean(tf.square(all)) as tf.Scalar;
    },
    dispose: () => tf.dispose(variables),
  };
}
