import { BATCH_NORM_ROWS, blocksOf, LAYER_NORM_ROWS, LOSS_NUMBERS } from '../../src/kernels/blocks.js';
import type { ExportName } from '../../src/threads/team.js';
import { placed } from './placed.js';
import type { SplitCase } from './split.js';

/** Every variance and this is positive. */
const EPSILON = 2;
const CLIP = 1e-7;

function make(name: ExportName, title: string, sizes: readonly number[], rest: readonly number[]): SplitCase {
  return { title: `${name}, ${title}`, name, args: (arena) => [...placed(arena, sizes), ...rest] };
}

function batchNorm(height: number, width: number): SplitCase[] {
  const [size, sums] = [height * width, blocksOf(height, BATCH_NORM_ROWS) * width];
  const title = `${height} rows of ${width}`;
  const shape = [height, width];
  return [
    make('blockSums', title, [size, sums], shape),
    make('blockSquares', title, [size, width, sums], shape),
    make('batchNormRows', title, [size, width, width, width, width, size], [...shape, EPSILON]),
    make('blockSlopes', title, [size, size, width, width, sums, sums], [...shape, EPSILON]),
    make(
      'batchNormGradientRows',
      title,
      [size, size, width, width, width, width, width, size],
      [...shape, EPSILON, 1 / height],
    ),
  ];
}

function layerNorm(height: number, width: number): SplitCase[] {
  const [size, sums] = [height * width, blocksOf(height, LAYER_NORM_ROWS) * width];
  const title = `${height} rows of ${width}`;
  return [
    make('layerNorm', title, [size, width, width, size, height, height], [height, width, EPSILON]),
    make(
      'layerNormGradientRows',
      title,
      [size, size, width, height, height, size, sums, sums],
      [height, width],
    ),
  ];
}

function lossesOfNumbers(n: number): SplitCase[] {
  const losses = [
    ['meanSquaredError', []],
    ['sigmoidCrossentropy', []],
    ['binaryCrossentropy', [CLIP]],
    ['categoricalCrossentropy', [CLIP]],
  ] as const;
  const title = `${n} numbers`;
  return losses.flatMap(([name, settings]) => [
    make(name, title, [n, n, 2 * blocksOf(n, LOSS_NUMBERS)], [n, ...settings]),
    make(`${name}Gradient`, title, [n, n, n], [n, ...settings, 0.3]),
  ]);
}

function softmax(height: number, width: number): SplitCase[] {
  const size = height * width;
  const title = `${height} rows of ${width}`;
  return [
    make('softmaxCrossentropy', title, [size, size, size, 2 * height], [height, width]),
    make('softmaxCrossentropyGradient', title, [size, size, size], [height, width, 0.3]),
  ];
}

/** What is summed in blocks: sizes at their borders, and widths that are not multiples of a vector. */
export const BLOCK_CASES: readonly SplitCase[] = [
  ...batchNorm(BATCH_NORM_ROWS + 1, 7),
  ...batchNorm(2 * BATCH_NORM_ROWS, 12),
  ...batchNorm(5 * BATCH_NORM_ROWS - 1, 33),
  ...layerNorm(LAYER_NORM_ROWS + 1, 30),
  ...layerNorm(2 * LAYER_NORM_ROWS, 16),
  ...layerNorm(9 * LAYER_NORM_ROWS - 1, 7),
  ...lossesOfNumbers(LOSS_NUMBERS + 1),
  ...lossesOfNumbers(2 * LOSS_NUMBERS),
  ...lossesOfNumbers(7 * LOSS_NUMBERS - 3),
  ...softmax(50, 33),
  ...softmax(7, 4),
];
