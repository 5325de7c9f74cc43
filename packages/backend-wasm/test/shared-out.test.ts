import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { activeContext } from '../src/enabled.js';
import { runMany, runOne } from '../src/engine/operations.js';
import { enableTraining } from '../src/index.js';
import { BATCH_NORM_ROWS, LAYER_NORM_ROWS, LOSS_NUMBERS } from '../src/kernels/blocks.js';
import { LOSS, LOSS_GRADIENT } from '../src/kernels/loss.js';
import { BATCH_NORM, BATCH_NORM_GRADIENT, LAYER_NORM, LAYER_NORM_GRADIENT } from '../src/kernels/norm.js';
import type { ModuleExports } from '../src/module/exports.js';
import { SPLITTERS } from '../src/threads/splitters.js';
import { on } from './backends.js';

type Functions = Record<string, (...args: number[]) => unknown>;

let whole: ModuleExports;
/** The module may have threads of its own, and needs as many rooms for them. */
let own: number;

beforeAll(async () => {
  await enableTraining();
  await tf.setBackend('wasm');
  ({ module: whole, threads: own } = activeContext()!);
});

afterEach(() => {
  activeContext()!.useModule(whole, own);
});

/** The module with every operation shared out, however small it is. The last share is computed first. */
function sharedOut(threads: number): ModuleExports {
  const functions = { ...whole } as unknown as Functions;
  for (const [name, { split }] of SPLITTERS) {
    functions[name] = (...args) => {
      const { name: part, calls } = split(args.map(Number), threads);
      for (const call of [...calls].reverse()) (whole as unknown as Functions)[part]!(...(call as number[]));
    };
  }
  return functions as unknown as ModuleExports;
}

/** What an operation gives with one, two and three threads, as bits. */
async function withThreads(run: () => tf.Tensor[]): Promise<string[][]> {
  const found: string[][] = [];
  for (const threads of [1, 2, 3]) {
    activeContext()!.useModule(threads === 1 ? whole : sharedOut(threads), Math.max(threads, own));
    found.push(
      await on('wasm', () => run().map((each) => Buffer.from(each.dataSync().buffer).toString('hex'))),
    );
  }
  return found;
}

/** Sizes around the borders of blocks of this size, with widths that are not whole vectors. */
function sizesAround(block: number): [number, number][] {
  return [1, block - 1, block, block + 1, 3 * block - 1, 5 * block].map((rows, i) => [
    rows,
    [7, 16, 5][i % 3]!,
  ]);
}

const random = (shape: number[], seed: number) => tf.randomUniform(shape, 0.1, 0.9, 'float32', seed);
const epsilon = 0.001;

describe('the bits are those of one thread, with two and with three', () => {
  it.each(sizesAround(BATCH_NORM_ROWS))('batch normalisation of %i rows of %i', async (height, width) => {
    const [one, ...more] = await withThreads(() => {
      const [x, dy, gamma] = [random([height, width], 1), random([height, width], 2), random([width], 3)];
      const [y, mean, variance] = runMany(BATCH_NORM, { x, gamma, beta: gamma }, { epsilon });
      const statistics = { mean: mean!, variance: variance! };
      return [
        y!,
        mean!,
        variance!,
        ...runMany(BATCH_NORM_GRADIENT, { x, dy, gamma, ...statistics }, { epsilon }),
      ];
    });
    expect(more).toEqual([one, one]);
  });

  it.each(sizesAround(LAYER_NORM_ROWS))('layer normalisation of %i rows of %i', async (height, width) => {
    const [one, ...more] = await withThreads(() => {
      const [x, dy, gamma] = [random([height, width], 1), random([height, width], 2), random([width], 3)];
      const [y, mean, inverse] = runMany(LAYER_NORM, { x, gamma, beta: gamma }, { epsilon });
      const statistics = { mean: mean!, inverse: inverse! };
      return [y!, mean!, inverse!, ...runMany(LAYER_NORM_GRADIENT, { x, dy, gamma, ...statistics })];
    });
    expect(more).toEqual([one, one]);
  });

  it.each([
    'softmaxCrossentropy',
    'categoricalCrossentropy',
    'binaryCrossentropy',
    'sigmoidCrossentropy',
    'meanSquaredError',
  ])('%s, and its gradient', async (loss) => {
    for (const size of sizesAround(LOSS_NUMBERS)) {
      const [one, ...more] = await withThreads(() => {
        const [outputs, targets] = [random(size, 1), random(size, 2)];
        const [value, kept] = runMany(LOSS, { targets, outputs }, { loss }) as [tf.Tensor, tf.Tensor];
        return [value, runOne(LOSS_GRADIENT, { dy: value, targets, kept }, { loss })];
      });
      expect(more, `${size}`).toEqual([one, one]);
    }
  });
});
