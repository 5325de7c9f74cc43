import { selectBackend } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Transformer, transformer } from '../src/model/transformer.js';
import { randomFrom } from '../src/random.js';
import { referenceLogits, referenceLoss, type Weights } from './reference.js';

const OPTIONS = { letters: 5, length: 4, width: 6, headSize: 3, hidden: 7, slopes: [0, 1], blocks: 2 };
const LETTERS = [
  [3, 0, 4, 3],
  [1, 1, 2, 0],
];
const TARGETS = [
  [-1, 4, -1, 0],
  [1, -1, 0, 2],
];

describe.each(['wasm', 'cpu'] as const)('on %s', (backend) => {
  let model: Transformer;
  let weights: Weights;

  beforeAll(async () => {
    await selectBackend({ backend, root: '.' });
    model = transformer(OPTIONS);
    // Other numbers in each weight, so that none of them can hide behind zeros and ones.
    const random = randomFrom(1, 'weights');
    for (const variable of Object.values(model.parameters())) {
      const values = Float32Array.from({ length: variable.size }, () => 2 * random() - 1);
      variable.assign(tf.tensor(values, variable.shape));
    }
    weights = Object.fromEntries(
      Object.entries(model.parameters()).map(([path, variable]) => [path, [...variable.dataSync()]]),
    );
  });

  test('the forward pass gives what plain loops give', () => {
    const logits = forward(model, LETTERS).arraySync();

    LETTERS.forEach((letters, sequence) => {
      const expected = referenceLogits(weights, OPTIONS, letters).flat();
      logits[sequence]!.flat().forEach((logit, index) => {
        expect(logit).toBeCloseTo(expected[index]!, 4);
      });
    });
  });

  test('the loss is the mean over the known letters, and its gradients are those of finite differences', () => {
    const { value, grads } = tf.variableGrads(() =>
      model.loss(forward(model, LETTERS), {
        xs: tf.tensor2d(LETTERS),
        ys: tf.tensor2d(TARGETS, undefined, 'int32'),
      }),
    );

    expect(value.dataSync()[0]).toBeCloseTo(lossOf(weights), 5);
    for (const [path, variable] of Object.entries(model.parameters())) {
      const gradient = grads[variable.name]!.dataSync();
      for (const index of new Set([0, Math.floor(gradient.length / 2), gradient.length - 1])) {
        expect(gradient[index], `${path}[${index}]`).toBeCloseTo(slopeOf(path, index), 4);
      }
    }
  });

  test('a later letter changes nothing before it', () => {
    const before = forward(model, [[3, 0, 4, 3]]).arraySync()[0]!;
    const after = forward(model, [[3, 0, 2, 1]]).arraySync()[0]!;

    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toEqual(before[2]);
  });

  test('every head shows a pattern whose rows add up to 1 and see no later letter, and what it adds', () => {
    const shapes = new Map<string, number[]>();
    forward(model, LETTERS, (path, output) => {
      shapes.set(path, output.shape);
      if (!path.endsWith('/pattern')) return;
      for (const rows of output.arraySync() as number[][][]) {
        rows.forEach((row, to) => {
          expect(row.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
          expect(row.slice(to + 1).every((weight) => weight === 0)).toBe(true);
        });
      }
    });

    const block = (index: number) => [
      ...[0, 1].flatMap((head) => [
        [`blocks/${index}/attention/head_${head}/pattern`, [2, 4, 4]],
        [`blocks/${index}/attention/head_${head}/output`, [2, 4, 6]],
      ]),
      [`blocks/${index}/mlp`, [2, 4, 6]],
      [`blocks/${index}/resid`, [2, 4, 6]],
    ];
    expect([...shapes]).toEqual([['embed', [2, 4, 6]], ...block(0), ...block(1)]);
  });

  function lossOf(changed: Weights): number {
    // Each sequence has its own number of targets, so they are joined before the mean is taken.
    const logits = LETTERS.flatMap((letters) => referenceLogits(changed, OPTIONS, letters));
    return referenceLoss(logits, TARGETS.flat());
  }

  function slopeOf(path: string, index: number): number {
    const moved = (by: number) =>
      lossOf({ ...weights, [path]: weights[path]!.with(index, weights[path]![index]! + by) });
    return (moved(1e-5) - moved(-1e-5)) / 2e-5;
  }
});

function forward(
  model: Transformer,
  letters: number[][],
  look: (path: string, output: tf.Tensor) => void = () => {},
): tf.Tensor3D {
  return model.forward(tf.tensor2d(letters, undefined, 'int32'), {
    training: true,
    tap: (path, output) => {
      look(path, output);
      return output;
    },
  });
}
