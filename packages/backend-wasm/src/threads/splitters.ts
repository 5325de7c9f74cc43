import { BATCH_NORM_ROWS, LAYER_NORM_ROWS, LOSS_NUMBERS } from '../kernels/blocks.js';
import { UNARY } from '../module/operation-codes.js';
import { inBlocks, numbers, rows } from './along-rules.js';
import type { Splitter } from './split.js';
import { type AlongRule, splitAlong } from './split-along.js';
import { splitBinary } from './split-broadcast.js';
import { splitConv, splitConvFilterGradient } from './split-conv.js';
import { splitMatMul, splitProduct } from './split-product.js';
import { SEQUENCE_RULES } from './split-sequences.js';
import type { ExportName } from './team.js';

/** Functions of images: addresses of those in and those out, then n, height, width, channels, outHeight, outWidth. */
function images(
  inside: readonly number[],
  outside: readonly number[],
  n: number,
  perNumber: number,
): AlongRule {
  return {
    count: n,
    steps: (args) => {
      const [, height, width, channels, outHeight, outWidth] = args.slice(n) as Six;
      return [
        ...inside.map((argument) => [argument, height * width * channels * 4] as const),
        ...outside.map((argument) => [argument, outHeight * outWidth * channels * 4] as const),
      ];
    },
    cost: { units: [n, n + 1, n + 2, n + 3], nanoseconds: perNumber },
  };
}

type Six = [number, number, number, number, number, number];

const SLOW_UNARY: ReadonlySet<string> = new Set(['exp', 'log', 'tanh', 'sigmoid', 'softplus', 'elu', 'selu']);

/** For each code of assembly/unary.ts: exponentials and logarithms take longer. */
const UNARY_NANOSECONDS: number[] = [];
for (const [name, code] of Object.entries(UNARY)) UNARY_NANOSECONDS[code] = SLOW_UNARY.has(name) ? 2.5 : 0.2;

type Rules = Readonly<Partial<Record<ExportName, AlongRule>>>;

const NORMS: Rules = {
  blockSums: inBlocks(rows([0], [], 2, 0.1), BATCH_NORM_ROWS, [1], (args) => args[3]! * 4),
  blockSquares: inBlocks(rows([0], [], 3, 0.25), BATCH_NORM_ROWS, [2], (args) => args[4]! * 4),
  batchNormRows: rows([0, 5], [], 6, 0.25),
  blockSlopes: inBlocks(rows([0, 1], [], 6, 0.4), BATCH_NORM_ROWS, [4, 5], (args) => args[7]! * 4),
  batchNormGradientRows: rows([0, 1, 7], [], 8, 0.4),
  layerNorm: rows([0, 3], [4, 5], 6, 1),
  layerNormGradientRows: inBlocks(
    rows([0, 1, 5], [3, 4], 8, 0.8),
    LAYER_NORM_ROWS,
    [6, 7],
    (args) => args[9]! * 4,
  ),
};

/** A loss of numbers leaves a double for each block of them. */
const loss = (perNumber: number) => inBlocks(numbers([0, 1], 3, perNumber), LOSS_NUMBERS, [2], () => 8);

const LOSSES: Rules = {
  softmaxCrossentropy: inBlocks(rows([0, 1, 2], [], 4, 3), 1, [3], () => 8),
  softmaxCrossentropyGradient: rows([0, 1, 2], [], 3, 0.4),
  categoricalCrossentropy: loss(1),
  categoricalCrossentropyGradient: numbers([0, 1, 2], 3, 0.3),
  binaryCrossentropy: loss(15),
  binaryCrossentropyGradient: numbers([0, 1, 2], 3, 7),
  meanSquaredError: loss(0.2),
  meanSquaredErrorGradient: numbers([0, 1, 2], 3, 0.2),
  sigmoidCrossentropy: loss(25),
  sigmoidCrossentropyGradient: numbers([0, 1, 2], 3, 2),
};

const ALONG: Rules = {
  padImages: images([0], [1], 2, 0.3),
  depthwise: images([0], [2], 3, 4),
  depthwise3x3: images([0], [2], 3, 0.8),
  depthwiseInputGradient: images([2], [0], 3, 4),
  maxPool: images([0], [1], 2, 0.3),
  maxPoolGradient: images([1, 3], [0, 2], 4, 0.4),
  averagePool: images([0], [1], 2, 0.3),
  averagePoolGradient: images([1], [0], 2, 0.4),
  ...SEQUENCE_RULES,
  softmax: rows([0, 1], [], 2, 3),
  softmaxGradient: rows([0, 1, 2], [], 3, 0.5),
  ...NORMS,
  ...LOSSES,
  unary: numbers([1, 2], 3, UNARY_NANOSECONDS),
  sgd: numbers([0, 1, 2], 3, 0.4),
  adam: numbers([0, 1, 2, 3], 4, 0.7),
  rmsprop: numbers([0, 1, 2, 3, 4], 5, 0.7),
  adagrad: numbers([0, 1, 2], 3, 0.6),
  adadelta: numbers([0, 1, 2, 3], 4, 1),
  lion: numbers([0, 1, 2], 3, 0.5),
};

/** How the functions of the module are shared out among threads; those that are not here never are. */
export const SPLITTERS: ReadonlyMap<ExportName, Splitter> = new Map<ExportName, Splitter>([
  ['matMul', splitMatMul],
  ['product', splitProduct],
  ['conv', splitConv],
  ['convFilterGradient', splitConvFilterGradient],
  ['binary', splitBinary],
  ...(Object.entries(ALONG) as [ExportName, AlongRule][]).map(
    ([name, rule]) => [name, splitAlong(name, rule)] as const,
  ),
]);
