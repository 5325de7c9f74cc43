import { BATCH_NORM_ROWS, blocksOf, LAYER_NORM_ROWS } from '../../src/kernels/blocks.js';
import { BINARY, UNARY } from '../../src/module/operation-codes.js';

/** One call of a kernel: its arguments, and those that are only room to work in. */
export interface Call {
  readonly args: (number | boolean)[];
  /** Address and count of floats. */
  readonly scratch?: readonly (readonly [number, number])[];
}

export interface Draw {
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  flag(): boolean;
  /** Memory for so many numbers, filled with random ones. */
  floats(count: number): number;
  /** The same with numbers from `low` to `high`, as a variance is. */
  between(count: number, low: number, high: number): number;
  number(low: number, high: number): number;
}

/** For each kernel: a random call. Sizes go past every tile, block and tail. */
export const CASES: Readonly<Record<string, (draw: Draw) => Call>> = {
  matMul: (draw) => {
    const [m, n, k, batch] = [draw.whole(1, 40), draw.whole(1, 70), depth(draw), draw.whole(1, 3)];
    const bias = draw.flag() ? draw.floats(n) : 0;
    const b = draw.floats(k * n * batch);
    const sameB = draw.flag();
    // biome-ignore format: the order of matMul.
    return { args: [draw.floats(m * k * batch), draw.flag(), b, draw.flag(), draw.floats(m * n * batch), m, n, k, bias, draw.flag(), batch, m * k, sameB ? 0 : k * n] };
  },
  product: (draw) => {
    const [m, n, k] = [draw.whole(1, 110), draw.whole(1, 70), depth(draw)];
    const [ta, tb] = [draw.flag(), draw.flag()];
    const [rowA, rowB] = [(ta ? m : k) + draw.whole(0, 5), (tb ? k : n) + draw.whole(0, 5)];
    const bias = draw.flag() ? draw.floats(n) : 0;
    // biome-ignore format: the order of product.
    return { args: [draw.floats(rowA * (ta ? k : m)), rowA, ta, draw.floats(rowB * (tb ? n : k)), rowB, tb, draw.floats(m * n), m, n, k, bias, draw.flag(), draw.flag()] };
  },
  productPart: (draw) => {
    const [m, n, k] = [draw.whole(1, 30), draw.whole(1, 1100), draw.whole(1, 40)];
    const [ta, tb] = [draw.flag(), draw.flag()];
    const [rowA, rowB, rowOut] = [(ta ? m : k) + 3, (tb ? k : n) + 2, n + draw.whole(0, 9)];
    // biome-ignore format: the order of productPart.
    return { args: [draw.floats(rowA * (ta ? k : m)), rowA, ta, draw.floats(rowB * (tb ? n : k)), rowB, tb, draw.floats(m * rowOut), rowOut, m, n, k, 0, draw.flag(), draw.flag()] };
  },
  sumOfProducts: (draw) => {
    const [time, batch, m, n] = [
      draw.whole(1, 4),
      draw.whole(1, draw.flag() ? 20 : 300),
      draw.whole(1, 20),
      draw.whole(1, 60),
    ];
    const [rowA, rowB] = [m + draw.whole(0, 3), n + draw.whole(0, 3)];
    const spare = draw.floats(m * n);
    // biome-ignore format: the order of sumOfProducts.
    return { args: [draw.floats(time * batch * rowA), rowA, draw.floats(time * batch * rowB), rowB, draw.floats(m * n), spare, time, batch, m, n], scratch: [[spare, m * n]] };
  },
  conv: (draw) => {
    const g = geometry(draw);
    const panels = draw.floats(g.taps * g.channels * Math.ceil(g.filters / 8) * 8);
    const bias = draw.flag() ? draw.floats(g.filters) : 0;
    return { args: [draw.floats(g.inside), panels, draw.floats(g.outside), ...g.args, bias, draw.flag()] };
  },
  convFilterGradient: (draw) => {
    const g = geometry(draw);
    return {
      args: [
        draw.floats(g.inside),
        draw.floats(g.outside),
        draw.floats(g.taps * g.channels * g.filters),
        ...g.args,
      ],
    };
  },
  convFilterGradientPart: (draw) => {
    const g = geometry(draw);
    const first = draw.whole(0, 20);
    // biome-ignore format: the order of convFilterGradientPart.
    return { args: [draw.floats(g.inside), draw.floats(g.outside), draw.floats(g.taps * g.channels * g.filters), ...g.args, first, first + draw.whole(1, 30)] };
  },
  depthwise: (draw) => {
    const g = depthwise(draw);
    const bias = draw.flag() ? draw.floats(g.channels) : 0;
    return {
      args: [
        draw.floats(g.inside),
        draw.floats(g.filter),
        draw.floats(g.outside),
        ...g.args,
        bias,
        draw.flag(),
      ],
    };
  },
  depthwiseInputGradient: (draw) => {
    const g = depthwise(draw);
    return { args: [draw.floats(g.outside), draw.floats(g.filter), draw.floats(g.inside), ...g.args] };
  },
  depthwiseFilterGradient: (draw) => {
    const g = depthwise(draw);
    return { args: [draw.floats(g.inside), draw.floats(g.outside), draw.floats(g.filter), ...g.args] };
  },
  depthwise3x3: (draw) => {
    const [n, channels, outH, outW] = [
      draw.whole(1, 2),
      draw.whole(1, 40),
      draw.whole(1, 6),
      draw.whole(1, 6),
    ];
    const [sh, sw, dh, dw] = [draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 2)];
    const [height, width] = [(outH - 1) * sh + 2 * dh + 1, (outW - 1) * sw + 2 * dw + 1];
    const bias = draw.flag() ? draw.floats(channels) : 0;
    // biome-ignore format: the order of depthwise3x3.
    return { args: [draw.floats(n * height * width * channels), draw.floats(9 * channels), draw.floats(n * outH * outW * channels), n, height, width, channels, outH, outW, sh, sw, dh, dw, bias, draw.flag(), draw.flag()] };
  },
  attention: (draw) => {
    const { sizes, query, key, value, out, weights, time, keys } = heads(draw);
    // biome-ignore format: the order of attention.
    return { args: [draw.floats(query), draw.floats(key), draw.floats(value), draw.floats(out), draw.floats(weights), ...sizes, draw.number(0.1, 1), time <= keys && draw.flag()] };
  },
  attentionGradient: (draw) => {
    const { sizes, query, key, value, out, weights, time, keys } = heads(draw);
    const spare = draw.floats(time * keys);
    // biome-ignore format: the order of attentionGradient.
    return { args: [draw.floats(query), draw.floats(key), draw.floats(value), draw.floats(weights), draw.floats(out), draw.floats(query), draw.floats(key), draw.floats(value), spare, ...sizes, draw.number(0.1, 1)] };
  },
  lstm: (draw) => {
    const { time, batch, units, steps } = sequence(draw);
    const bias = draw.flag() ? draw.floats(4 * units) : 0;
    const [inner, packed] = [draw.floats(12 * 4 * units), draw.floats(units * (4 * units + 8))];
    const scratch = [[inner, 12 * 4 * units] as const, [packed, units * (4 * units + 8)] as const];
    const states = (time + 1) * batch * units;
    // biome-ignore format: the order of lstm.
    return { args: [draw.floats(4 * steps), draw.floats(4 * units * units), bias, draw.floats(states), draw.floats(states), draw.floats(steps), inner, packed, time, batch, units, draw.flag(), batch], scratch };
  },
  lstmGradient: (draw) => {
    const { time, batch, units, steps } = sequence(draw);
    const packed = draw.floats(4 * units * (units + 8));
    const scratch = [[packed, 4 * units * (units + 8)] as const];
    const state = batch * units;
    // biome-ignore format: the order of lstmGradient.
    return { args: [draw.floats(4 * steps), draw.floats(4 * units * units), draw.floats(steps + state), draw.floats(steps), draw.floats(steps), draw.floats(state), draw.floats(state), draw.floats(4 * steps), packed, time, batch, units, draw.flag(), batch], scratch };
  },
  gru: (draw) => {
    const { time, batch, units, steps } = sequence(draw);
    const inner = draw.floats(2 * batch * units);
    const scratch = [[inner, 2 * batch * units] as const];
    // biome-ignore format: the order of gru.
    return { args: [draw.floats(3 * steps), draw.floats(2 * units * units), draw.floats(units * units), draw.floats(steps + batch * units), draw.floats(steps), inner, time, batch, units, draw.flag(), batch], scratch };
  },
  gruGradient: (draw) => {
    const { time, batch, units, steps } = sequence(draw);
    const state = batch * units;
    const [inner, pair] = [draw.floats(state), draw.floats(state)];
    const scratch = [[inner, state] as const, [pair, state] as const];
    // biome-ignore format: the order of gruGradient.
    return { args: [draw.floats(3 * steps), draw.floats(2 * units * units), draw.floats(units * units), draw.floats(steps + state), draw.floats(steps), draw.floats(state), draw.floats(3 * steps), inner, pair, time, batch, units, draw.flag(), batch], scratch };
  },
  unary: (draw) => {
    const n = draw.whole(1, 100);
    const code = draw.whole(0, Object.keys(UNARY).length - 1);
    return {
      args: [code, draw.between(n, -12, 12), draw.floats(n), n, draw.number(-1, 1), draw.number(1, 3)],
    };
  },
  binary: (draw) => {
    const [n0, n1, n2] = [draw.whole(1, 4), draw.whole(1, 5), draw.whole(1, 70)];
    const [a2, b2] = [Number(draw.flag()), 1];
    const [a1, b1] = [draw.flag() ? n2 : 0, draw.flag() ? n2 : 0];
    const [a0, b0] = [draw.flag() ? n1 * n2 : 0, draw.flag() ? n1 * n2 : 0];
    const size = n0 * n1 * n2;
    const code = draw.whole(0, Object.keys(BINARY).length - 1);
    // biome-ignore format: the order of binary.
    return { args: [code, draw.floats(size), draw.floats(size), draw.floats(size), n0, n1, n2, a0, a1, a2, b0, b1, b2] };
  },
  softmax: (draw) => {
    const [height, width] = [draw.whole(1, 6), draw.whole(1, 60)];
    const x = draw.between(height * width, -20, 20);
    return { args: [x, draw.flag() ? x : draw.floats(height * width), height, width] };
  },
  softmaxGradient: (draw) => {
    const [height, width] = [draw.whole(1, 6), draw.whole(1, 60)];
    const size = height * width;
    return { args: [draw.floats(size), draw.floats(size), draw.floats(size), height, width] };
  },
  sum: (draw) => {
    const long = draw.flag();
    const [outer, count, inner] = [
      draw.whole(1, 3),
      draw.whole(1, long ? 5000 : 300),
      long ? 1 : draw.whole(1, 90),
    ];
    // biome-ignore format: the order of sum.
    return { args: [draw.floats(outer * count * inner), draw.floats(outer * inner), outer, count, inner, draw.flag() ? 1 : 1 / count] };
  },
  activationGradient: (draw) => {
    const [height, width] = [draw.whole(1, 300), draw.whole(1, 40)];
    const size = height * width;
    const bias = draw.flag() ? draw.floats(width) : 0;
    // biome-ignore format: the order of activationGradient.
    return { args: [draw.whole(0, 5), draw.floats(size), draw.floats(size), draw.floats(size), bias, height, width] };
  },
  layerNorm: (draw) => {
    const { height, width, size } = matrix(draw);
    // biome-ignore format: the order of layerNorm.
    return { args: [draw.floats(size), draw.floats(width), draw.floats(width), draw.floats(size), draw.floats(height), draw.floats(height), height, width, 1e-3] };
  },
  layerNormGradientRows: (draw) => {
    const { height, width, size } = matrix(draw);
    const sums = blocksOf(height, LAYER_NORM_ROWS) * width;
    // biome-ignore format: the order of layerNormGradientRows.
    return { args: [draw.floats(size), draw.floats(size), draw.floats(width), draw.floats(height), draw.between(height, 0.1, 3), draw.floats(size), draw.floats(sums), draw.floats(sums), height, width] };
  },
  blockSums: (draw) => {
    const { height, width, size, sums } = matrix(draw);
    return { args: [draw.floats(size), draw.floats(sums), height, width] };
  },
  blockSquares: (draw) => {
    const { height, width, size, sums } = matrix(draw);
    return { args: [draw.floats(size), draw.floats(width), draw.floats(sums), height, width] };
  },
  blockSlopes: (draw) => {
    const { height, width, size, sums } = matrix(draw);
    // biome-ignore format: the order of blockSlopes.
    return { args: [draw.floats(size), draw.floats(size), draw.floats(width), draw.between(width, 0.1, 3), draw.floats(sums), draw.floats(sums), height, width, 1e-3] };
  },
  joinBlocks: (draw) => {
    const [count, width] = [draw.whole(1, 300), draw.whole(1, 50)];
    const factor = draw.flag() ? 1 : draw.number(0.001, 1);
    return { args: [draw.floats(count * width), draw.floats(width), count, width, factor] };
  },
  batchNormRows: (draw) => {
    const { height, width, size } = matrix(draw);
    // biome-ignore format: the order of batchNormRows.
    return { args: [draw.floats(size), draw.floats(width), draw.floats(width), draw.floats(width), draw.between(width, 0.1, 3), draw.floats(size), height, width, 1e-3] };
  },
  batchNormGradientRows: (draw) => {
    const { height, width, size } = matrix(draw);
    // biome-ignore format: the order of batchNormGradientRows.
    return { args: [draw.floats(size), draw.floats(size), draw.floats(width), draw.floats(width), draw.between(width, 0.1, 3), draw.floats(width), draw.floats(width), draw.floats(size), height, width, 1e-3, draw.number(0.001, 1)] };
  },
  adam: (draw) => {
    const n = draw.whole(1, 100);
    // biome-ignore format: the order of adam.
    return { args: [draw.floats(n), draw.floats(n), draw.between(n, 0, 2), draw.floats(n), n, 0.9, 0.1, 0.999, 0.001, 1e-7, draw.number(0.001, 0.1), draw.flag() ? 0 : 0.01, draw.flag() ? 1 : 0.99] };
  },
  sumOfSquares: (draw) => {
    const n = count(draw);
    return { args: [draw.floats(n), n, draw.floats(2)] };
  },
  statistics: (draw) => {
    const n = count(draw);
    const x = draw.flag() ? draw.floats(n) : draw.between(n, 5, 6);
    return { args: [x, n, draw.floats(14)] };
  },
  movement: (draw) => {
    const n = count(draw);
    return { args: [draw.floats(n), draw.floats(n), n, draw.floats(4)] };
  },
};

/** Around the numbers that are summed side by side. */
function count(draw: Draw): number {
  return draw.flag() ? draw.whole(1, 70) : draw.whole(1000, 1100);
}

/** Around the block of the sum, at which it starts from 0 again. */
function depth(draw: Draw): number {
  return draw.flag() ? draw.whole(1, 40) : draw.whole(250, 530);
}

/** And the sums that the blocks of batch normalisation leave. */
function matrix(draw: Draw): { height: number; width: number; size: number; sums: number } {
  const [height, width] = [draw.whole(1, 280), draw.whole(1, 50)];
  return { height, width, size: height * width, sums: blocksOf(height, BATCH_NORM_ROWS) * width };
}

function geometry(draw: Draw) {
  const [n, channels, filters] = [draw.whole(1, 3), draw.whole(1, 19), draw.whole(1, 70)];
  const [fh, fw, outH, outW] = [draw.whole(1, 3), draw.whole(1, 3), draw.whole(1, 9), draw.whole(1, 20)];
  const [sh, sw, dh, dw] = [draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 2)];
  const [height, width] = [(outH - 1) * sh + (fh - 1) * dh + 1, (outW - 1) * sw + (fw - 1) * dw + 1];
  return {
    args: [n, height, width, channels, outH, outW, filters, fh, fw, sh, sw, dh, dw],
    inside: n * height * width * channels,
    outside: n * outH * outW * filters,
    taps: fh * fw,
    channels,
    filters,
  };
}

function depthwise(draw: Draw) {
  const [n, channels, height, width] = [
    draw.whole(1, 2),
    draw.whole(1, 40),
    draw.whole(3, 8),
    draw.whole(3, 8),
  ];
  const [fh, fw, sh, sw] = [draw.whole(1, 4), draw.whole(1, 4), draw.whole(1, 2), draw.whole(1, 2)];
  const [dh, dw, top, left] = [draw.whole(1, 2), draw.whole(1, 2), draw.whole(0, 2), draw.whole(0, 2)];
  const [outH, outW] = [Math.ceil(height / sh), Math.ceil(width / sw)];
  return {
    args: [n, height, width, channels, outH, outW, fh, fw, sh, sw, dh, dw, top, left],
    inside: n * height * width * channels,
    outside: n * outH * outW * channels,
    filter: fh * fw * channels,
    channels,
  };
}

function heads(draw: Draw) {
  const [batch, count, time] = [draw.whole(1, 2), draw.whole(1, 3), draw.whole(1, 20)];
  const keys = draw.flag() ? time : draw.whole(1, 40);
  const [size, width] = [draw.whole(1, 20), draw.whole(1, 20)];
  const pairs = batch * count;
  return {
    sizes: [batch, count, time, keys, size, width],
    query: pairs * time * size,
    key: pairs * keys * size,
    value: pairs * keys * width,
    out: pairs * time * width,
    weights: pairs * time * keys,
    time,
    keys,
  };
}

function sequence(draw: Draw): { time: number; batch: number; units: number; steps: number } {
  const large = draw.whole(1, 10) === 1;
  const [time, batch] = [draw.whole(1, 4), draw.whole(1, 30)];
  const units = large ? draw.whole(129, 150) : draw.whole(1, 40);
  return { time, batch, units, steps: time * batch * units };
}
