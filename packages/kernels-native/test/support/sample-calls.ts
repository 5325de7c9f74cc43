/** A float operand of a kernel: how many floats it has, and whether the kernel writes to it. */
export interface Operand {
  readonly name: string;
  readonly floats: number;
}

/** One right call of a kernel: its operands by name, and the values of the other arguments. */
export interface SampleCall {
  readonly operands: readonly Operand[];
  readonly values: Readonly<Record<string, number>>;
  /** Operands that a call may leave out, by giving 0. */
  readonly optional?: readonly string[];
  /** Operands that only WebAssembly uses; native kernels have room of their own, and do not look at them. */
  readonly unused?: readonly string[];
}

const sizes = (operands: Readonly<Record<string, number>>): Operand[] =>
  Object.entries(operands).map(([name, floats]) => ({ name, floats }));

const CONV = {
  ...{ n: 2, height: 6, width: 5, channels: 3, outHeight: 4, outWidth: 3, filters: 5 },
  ...{ filterH: 3, filterW: 3, strideH: 1, strideW: 1, dilationH: 1, dilationW: 1 },
};
const CONV_FLOATS = { image: 2 * 6 * 5 * 3, result: 2 * 4 * 3 * 5, filter: 3 * 3 * 3 * 5 };

const DEPTHWISE = {
  ...{ n: 2, height: 6, width: 5, channels: 9, outHeight: 6, outWidth: 5 },
  ...{ filterH: 3, filterW: 3, strideH: 1, strideW: 1, dilationH: 1, dilationW: 1, top: 1, left: 1 },
};
const [IMAGES, TAPS] = [2 * 6 * 5 * 9, 9 * 9];
const PADDED = {
  ...{ n: 2, height: 6, width: 5, channels: 9, outHeight: 4, outWidth: 3, turned: 0, relu: 1 },
  ...{ strideH: 1, strideW: 1, dilationH: 1, dilationW: 1 },
};

const ATTENTION = { batch: 2, heads: 2, time: 4, keys: 5, depth: 3, width: 6, scale: 0.5 };
const [QUERY, KEY, VALUE, OUT, WEIGHTS] = [
  2 * 2 * 4 * 3,
  2 * 2 * 5 * 3,
  2 * 2 * 5 * 6,
  2 * 2 * 4 * 6,
  2 * 2 * 4 * 5,
];

/** Three sequences of the five that lie in memory. */
const SEQUENCE = { time: 2, batch: 3, units: 7, hard: 0, all: 5 };
const STATE = 3 * 7;
const steps = (width: number) => (2 - 1) * width * 5 * 7 + width * STATE;
const STATES = 5 * 7 + steps(1);

const ROWS = { height: 6, width: 11, epsilon: 1e-3 };
const PRODUCT = { m: 4, n: 9, k: 5, relu: 1 };

/** One for every kernel, by name. */
export const SAMPLE_CALLS: Readonly<Record<string, SampleCall>> = {
  matMul: {
    operands: sizes({ a: 2 * 4 * 5, b: 2 * 5 * 9, out: 2 * 4 * 9, bias: 9 }),
    values: { ...PRODUCT, transposeA: 0, transposeB: 0, batch: 2, batchA: 20, batchB: 45 },
    optional: ['bias'],
  },
  product: {
    operands: sizes({ a: 4 * 5, b: 5 * 9, out: 4 * 9, bias: 9 }),
    values: { ...PRODUCT, rowA: 5, transposeA: 0, rowB: 9, transposeB: 0, add: 0 },
    optional: ['bias'],
  },
  productPart: {
    operands: sizes({ a: 3 * 6 + 5, b: 4 * 12 + 9, out: 3 * 10 + 9, bias: 9 }),
    values: { ...PRODUCT, rowA: 6, transposeA: 0, rowB: 12, transposeB: 0, rowOut: 10, add: 1 },
    optional: ['bias'],
  },
  sumOfProducts: {
    operands: sizes({ a: 5 * 4 + 3, b: 5 * 9 + 9, out: 27, spare: 27 }),
    values: { rowA: 4, rowB: 9, time: 2, batch: 3, m: 3, n: 9 },
    unused: ['spare'],
  },
  conv: {
    operands: sizes({ x: CONV_FLOATS.image, filter: 3 * 3 * 3 * 8, y: CONV_FLOATS.result, bias: 5 }),
    values: { ...CONV, relu: 0 },
    optional: ['bias'],
  },
  convFilterGradient: {
    operands: sizes({ x: CONV_FLOATS.image, dy: CONV_FLOATS.result, out: CONV_FLOATS.filter }),
    values: CONV,
  },
  convFilterGradientPart: {
    operands: sizes({ x: CONV_FLOATS.image, dy: CONV_FLOATS.result, out: CONV_FLOATS.filter }),
    values: { ...CONV, first: 0, end: 3 },
  },
  depthwise: {
    operands: sizes({ x: IMAGES, filter: TAPS, y: IMAGES, bias: 9 }),
    values: { ...DEPTHWISE, relu: 1 },
    optional: ['bias'],
  },
  depthwise3x3: {
    operands: sizes({ x: IMAGES, filter: TAPS, y: 2 * 4 * 3 * 9, bias: 9 }),
    values: PADDED,
    optional: ['bias'],
  },
  depthwiseInputGradient: { operands: sizes({ dy: IMAGES, filter: TAPS, dx: IMAGES }), values: DEPTHWISE },
  depthwiseFilterGradient: { operands: sizes({ x: IMAGES, dy: IMAGES, out: TAPS }), values: DEPTHWISE },
  attention: {
    operands: sizes({ query: QUERY, key: KEY, value: VALUE, out: OUT, weights: WEIGHTS }),
    values: { ...ATTENTION, causal: 0 },
  },
  attentionGradient: {
    operands: sizes({
      ...{ query: QUERY, key: KEY, value: VALUE, weights: WEIGHTS, dy: OUT },
      ...{ dQuery: QUERY, dKey: KEY, dValue: VALUE, spare: 4 * 5 },
    }),
    values: ATTENTION,
  },
  lstm: {
    operands: sizes({
      ...{ gates: steps(4), weights: 4 * 49, bias: 28, cells: STATES, hidden: STATES, squashed: steps(1) },
      ...{ inner: 12 * 28, packed: 7 * 36 },
    }),
    values: SEQUENCE,
    optional: ['bias'],
    unused: ['inner', 'packed'],
  },
  lstmGradient: {
    operands: sizes({
      ...{ gates: steps(4), weights: 4 * 49, cells: steps(1), squashed: steps(1), dHidden: steps(1) },
      ...{ dh: STATE, dc: STATE, dGates: steps(4), packed: 28 * 15 },
    }),
    values: SEQUENCE,
    unused: ['packed'],
  },
  gru: {
    operands: sizes({
      ...{ gates: steps(3), weights: 2 * 49, candidate: 49, hidden: STATES, resetHidden: steps(1) },
      inner: 2 * STATE,
    }),
    values: SEQUENCE,
  },
  gruGradient: {
    operands: sizes({
      ...{ gates: steps(3), weights: 2 * 49, candidate: 49, hidden: STATES, dHidden: steps(1) },
      ...{ dh: STATE, dGates: steps(3), inner: STATE, pair: STATE },
    }),
    values: SEQUENCE,
  },
  unary: { operands: sizes({ x: 21, out: 21 }), values: { code: 2, n: 21, a: 0, b: 0 } },
  binary: {
    operands: sizes({ a: 30, b: 10, out: 30 }),
    values: { code: 0, n0: 1, n1: 3, n2: 10, a0: 0, a1: 10, a2: 1, b0: 0, b1: 0, b2: 1 },
  },
  softmax: { operands: sizes({ x: 66, out: 66 }), values: { height: 6, width: 11 } },
  softmaxGradient: { operands: sizes({ dy: 66, y: 66, out: 66 }), values: { height: 6, width: 11 } },
  sum: { operands: sizes({ x: 2 * 5 * 9, out: 18 }), values: { outer: 2, count: 5, inner: 9, factor: 0.5 } },
  activationGradient: {
    operands: sizes({ dy: 66, y: 66, dz: 66, bias: 11 }),
    values: { code: 1, height: 6, width: 11 },
    optional: ['bias'],
  },
  layerNorm: { operands: sizes({ x: 66, gamma: 11, beta: 11, y: 66, mean: 6, inverse: 6 }), values: ROWS },
  layerNormGradientRows: {
    operands: sizes({ x: 396, dy: 396, gamma: 11, mean: 36, inverse: 36, dx: 396, dGammas: 22, dBetas: 22 }),
    values: { height: 36, width: 11 },
  },
  blockSums: { operands: sizes({ x: 130 * 11, sums: 22 }), values: { height: 130, width: 11 } },
  blockSquares: {
    operands: sizes({ x: 130 * 11, mean: 11, squares: 22 }),
    values: { height: 130, width: 11 },
  },
  blockSlopes: {
    operands: sizes({ x: 130 * 11, dy: 130 * 11, mean: 11, variance: 11, dGammas: 22, dBetas: 22 }),
    values: { ...ROWS, height: 130 },
  },
  joinBlocks: { operands: sizes({ blocks: 66, out: 11 }), values: { count: 6, width: 11, factor: 0.5 } },
  batchNormRows: {
    operands: sizes({ x: 66, gamma: 11, beta: 11, mean: 11, variance: 11, y: 66 }),
    values: ROWS,
  },
  batchNormGradientRows: {
    operands: sizes({ x: 66, dy: 66, gamma: 11, mean: 11, variance: 11, dGamma: 11, dBeta: 11, dx: 66 }),
    values: { ...ROWS, share: 0.2 },
  },
  adam: {
    operands: sizes({ p: 19, m: 19, v: 19, g: 19 }),
    values: {
      ...{ n: 19, beta1: 0.9, rest1: 0.1, beta2: 0.999, rest2: 0.001 },
      ...{ epsilon: 1e-7, size: 0.01, decay: 0, keep: 1 },
    },
  },
  sumOfSquares: { operands: sizes({ x: 37, out: 2 }), values: { n: 37 } },
  statistics: { operands: sizes({ x: 37, out: 14 }), values: { n: 37 } },
  movement: { operands: sizes({ before: 37, after: 37, out: 4 }), values: { n: 37 } },
};
