/** An address in the backend's memory, in bytes. 0 where something may be absent. */
export type Address = number;

type Flag = boolean;

/** What assembly/index.ts exports; the files there say what each does. */
export interface ModuleExports {
  workspaceBytes(): number;
  useWorkspace(at: Address): void;

  // biome-ignore format: one line each, in the order of the arguments there.
  matMul(a: Address, transposeA: Flag, b: Address, transposeB: Flag, out: Address, m: number, n: number, k: number, bias: Address, relu: Flag, batch: number, batchA: number, batchB: number): void;
  // biome-ignore format: see above.
  productPart(a: Address, rowA: number, transposeA: Flag, b: Address, rowB: number, transposeB: Flag, out: Address, rowOut: number, m: number, n: number, k: number, bias: Address, relu: Flag, add: Flag): void;
  // biome-ignore format: see above.
  product(a: Address, rowA: number, transposeA: Flag, b: Address, rowB: number, transposeB: Flag, out: Address, m: number, n: number, k: number, bias: Address, relu: Flag, add: Flag): void;

  // biome-ignore format: see above.
  padImages(x: Address, out: Address, n: number, height: number, width: number, channels: number, outHeight: number, outWidth: number, top: number, left: number, spreadH: number, spreadW: number): void;
  packFilter(filter: Address, out: Address, depth: number, filters: number): void;
  packFilterReversed(filter: Address, out: Address, taps: number, channels: number, filters: number): void;
  // biome-ignore format: see above.
  conv(x: Address, filter: Address, y: Address, n: number, height: number, width: number, channels: number, outHeight: number, outWidth: number, filters: number, filterH: number, filterW: number, strideH: number, strideW: number, dilationH: number, dilationW: number, bias: Address, relu: Flag): void;
  // biome-ignore format: see above.
  convFilterGradient(x: Address, dy: Address, out: Address, n: number, height: number, width: number, channels: number, outHeight: number, outWidth: number, filters: number, filterH: number, filterW: number, strideH: number, strideW: number, dilationH: number, dilationW: number): void;
  // biome-ignore format: see above.
  convFilterGradientPart(x: Address, dy: Address, out: Address, n: number, height: number, width: number, channels: number, outHeight: number, outWidth: number, filters: number, filterH: number, filterW: number, strideH: number, strideW: number, dilationH: number, dilationW: number, first: number, end: number): void;
  // biome-ignore format: see above.
  patches3d(volume: Address, matrix: Address, first: number, count: number, depth: number, height: number, width: number, channels: number, outDepth: number, outHeight: number, outWidth: number, kernelD: number, kernelH: number, kernelW: number, strideD: number, strideH: number, strideW: number, dilationD: number, dilationH: number, dilationW: number, front: number, top: number, left: number, back: Flag): void;

  depthwise(
    x: Address,
    filter: Address,
    y: Address,
    ...geometry: [...DepthwiseGeometry, Address, Flag]
  ): void;
  // biome-ignore format: see above.
  depthwise3x3(x: Address, filter: Address, y: Address, n: number, height: number, width: number, channels: number, outHeight: number, outWidth: number, strideH: number, strideW: number, dilationH: number, dilationW: number, bias: Address, relu: Flag, turned: Flag): void;
  depthwiseInputGradient(dy: Address, filter: Address, dx: Address, ...geometry: DepthwiseGeometry): void;
  depthwiseFilterGradient(x: Address, dy: Address, out: Address, ...geometry: DepthwiseGeometry): void;
  repeatChannels(x: Address, out: Address, pixels: number, channels: number, times: number): void;
  sumRepeated(x: Address, out: Address, count: number, times: number): void;

  maxPool(x: Address, y: Address, ...geometry: PoolGeometry): void;
  maxPoolGradient(dy: Address, x: Address, y: Address, dx: Address, ...geometry: PoolGeometry): void;
  averagePool(x: Address, y: Address, ...geometry: PoolGeometry): void;
  averagePoolGradient(dy: Address, dx: Address, ...geometry: [...PoolGeometry, number]): void;
  // biome-ignore format: see above.
  maxPool3d(x: Address, y: Address, positions: Address, inImage: Flag, dy: Address, dx: Address, n: number, depth: number, height: number, width: number, channels: number, outDepth: number, outHeight: number, outWidth: number, filterD: number, filterH: number, filterW: number, strideD: number, strideH: number, strideW: number, front: number, top: number, left: number): void;

  sum(x: Address, out: Address, outer: number, count: number, inner: number, factor: number): void;
  reduce(code: number, x: Address, out: Address, outer: number, count: number, inner: number): void;
  unary(code: number, x: Address, out: Address, n: number, a: number, b: number): void;
  binary(code: number, a: Address, b: Address, out: Address, ...plan: BroadcastSteps): void;
  compare(code: number, a: Address, b: Address, out: Address, ...plan: BroadcastSteps): void;
  select(condition: Address, a: Address, b: Address, out: Address, n: number): void;
  floatsOfBytes(x: Address, out: Address, n: number): void;
  floatsOfInts(x: Address, out: Address, n: number): void;
  bytesOfFloats(x: Address, out: Address, n: number): void;
  bytesOfInts(x: Address, out: Address, n: number): void;
  softmax(x: Address, out: Address, height: number, width: number): void;
  softmaxGradient(dy: Address, y: Address, out: Address, height: number, width: number): void;

  // biome-ignore format: see above.
  activationGradient(code: number, dy: Address, y: Address, dz: Address, bias: Address, height: number, width: number): void;
  blockSums(x: Address, sums: Address, height: number, width: number): void;
  blockSquares(x: Address, mean: Address, squares: Address, height: number, width: number): void;
  joinBlocks(blocks: Address, out: Address, count: number, width: number, factor: number): void;
  // biome-ignore format: see above.
  batchNormRows(x: Address, gamma: Address, beta: Address, mean: Address, variance: Address, y: Address, height: number, width: number, epsilon: number): void;
  // biome-ignore format: see above.
  blockSlopes(x: Address, dy: Address, mean: Address, variance: Address, dGammas: Address, dBetas: Address, height: number, width: number, epsilon: number): void;
  // biome-ignore format: see above.
  batchNormGradientRows(x: Address, dy: Address, gamma: Address, mean: Address, variance: Address, dGamma: Address, dBeta: Address, dx: Address, height: number, width: number, epsilon: number, share: number): void;
  moveAverage(average: Address, value: Address, moved: Address, n: number, rate: number): void;
  // biome-ignore format: see above.
  layerNorm(x: Address, gamma: Address, beta: Address, y: Address, mean: Address, inverse: Address, height: number, width: number, epsilon: number): void;
  // biome-ignore format: see above.
  layerNormGradientRows(x: Address, dy: Address, gamma: Address, mean: Address, inverse: Address, dx: Address, dGammas: Address, dBetas: Address, height: number, width: number): void;
  // biome-ignore format: see above.
  attention(query: Address, key: Address, value: Address, out: Address, weights: Address, batch: number, heads: number, time: number, keys: number, depth: number, width: number, scale: number, causal: Flag): void;
  // biome-ignore format: see above.
  attentionGradient(query: Address, key: Address, value: Address, weights: Address, dy: Address, dQuery: Address, dKey: Address, dValue: Address, spare: Address, batch: number, heads: number, time: number, keys: number, depth: number, width: number, scale: number): void;
  // biome-ignore format: see above.
  lstm(gates: Address, weights: Address, bias: Address, cells: Address, hidden: Address, squashed: Address, inner: Address, packed: Address, time: number, batch: number, units: number, hard: Flag, all: number): void;
  // biome-ignore format: see above.
  lstmGradient(gates: Address, weights: Address, cells: Address, squashed: Address, dHidden: Address, dh: Address, dc: Address, dGates: Address, packed: Address, time: number, batch: number, units: number, hard: Flag, all: number): void;
  // biome-ignore format: see above.
  gru(gates: Address, weights: Address, candidate: Address, hidden: Address, resetHidden: Address, inner: Address, time: number, batch: number, units: number, hard: Flag, all: number): void;
  // biome-ignore format: see above.
  gruGradient(gates: Address, weights: Address, candidate: Address, hidden: Address, dHidden: Address, dh: Address, dGates: Address, inner: Address, pair: Address, time: number, batch: number, units: number, hard: Flag, all: number): void;
  // biome-ignore format: see above.
  sumOfProducts(a: Address, rowA: number, b: Address, rowB: number, out: Address, spare: Address, time: number, batch: number, m: number, n: number): void;
  sumOfSums(x: Address, out: Address, spare: Address, time: number, batch: number, n: number): void;

  // biome-ignore format: see above.
  softmaxCrossentropy(x: Address, target: Address, probabilities: Address, totals: Address, height: number, width: number): void;
  // biome-ignore format: see above.
  softmaxCrossentropyGradient(probabilities: Address, target: Address, out: Address, height: number, width: number, share: number): void;
  categoricalCrossentropy(p: Address, target: Address, totals: Address, n: number, epsilon: number): void;
  // biome-ignore format: see above.
  categoricalCrossentropyGradient(p: Address, target: Address, out: Address, n: number, epsilon: number, share: number): void;
  binaryCrossentropy(p: Address, target: Address, totals: Address, n: number, epsilon: number): void;
  // biome-ignore format: see above.
  binaryCrossentropyGradient(p: Address, target: Address, out: Address, n: number, epsilon: number, share: number): void;
  meanSquaredError(p: Address, target: Address, totals: Address, n: number): void;
  meanSquaredErrorGradient(p: Address, target: Address, out: Address, n: number, share: number): void;
  sigmoidCrossentropy(x: Address, target: Address, totals: Address, n: number): void;
  sigmoidCrossentropyGradient(x: Address, target: Address, out: Address, n: number, share: number): void;
  joinTotals(totals: Address, out: Address, count: number, divisor: number): void;

  // biome-ignore format: see above.
  sgd(p: Address, v: Address, g: Address, n: number, lr: number, momentum: number, nesterov: Flag, decay: number): void;
  // biome-ignore format: see above.
  adam(p: Address, m: Address, v: Address, g: Address, n: number, beta1: number, rest1: number, beta2: number, rest2: number, epsilon: number, size: number, decay: number, keep: number): void;
  // biome-ignore format: see above.
  rmsprop(p: Address, square: Address, mean: Address, velocity: Address, g: Address, n: number, lr: number, rho: number, rest: number, epsilon: number, momentum: number, decay: number): void;
  // biome-ignore format: see above.
  adagrad(p: Address, sum: Address, g: Address, n: number, lr: number, start: number, epsilon: number, decay: number): void;
  // biome-ignore format: see above.
  adadelta(p: Address, square: Address, delta: Address, g: Address, n: number, lr: number, rho: number, rest: number, epsilon: number, decay: number): void;
  // biome-ignore format: see above.
  lion(p: Address, m: Address, g: Address, n: number, lr: number, beta1: number, rest1: number, beta2: number, rest2: number, keep: number): void;
  /** 1, or 0 where a value is not finite. */
  allFinite(x: Address, n: number): number;
  sumOfSquares(x: Address, n: number, out: Address): void;
  statistics(x: Address, n: number, out: Address): void;
  movement(before: Address, after: Address, n: number, out: Address): void;

  copyStrided(from: Address, to: Address, ...plan: CopySteps): void;
  transpose(x: Address, out: Address, batch: number, height: number, width: number): void;
  fill(out: Address, n: number, bits: number): void;
  // biome-ignore format: see above.
  gather(x: Address, indices: Address, out: Address, outer: number, axis: number, n: number, inner: number): number;
  // biome-ignore format: see above.
  segmentSum(x: Address, segment: Address, out: Address, n: number, inner: number, segments: number): void;
}

/** n, height, width, channels, outHeight, outWidth, filter, strides, dilations (height and width each), top, left. */
// biome-ignore format: one line.
export type DepthwiseGeometry = [number, number, number, number, number, number, number, number, number, number, number, number, number, number];

/** n, height, width, channels, outHeight, outWidth, filter and strides (height and width each), top, left. */
// biome-ignore format: one line.
export type PoolGeometry = [number, number, number, number, number, number, number, number, number, number, number, number];

/** Sizes of three axes, the steps of a along them, the steps of b. */
export type BroadcastSteps = [number, number, number, number, number, number, number, number, number];

/** Sizes of four axes, the steps along them where it is read, the steps where it is written. */
// biome-ignore format: one line.
export type CopySteps = [number, number, number, number, number, number, number, number, number, number, number, number];
