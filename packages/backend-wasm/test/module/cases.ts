import { blocksOf, LOSS_NUMBERS } from '../../src/kernels/blocks.js';
import { COMPARE } from '../../src/module/operation-codes.js';
import { type Call, type Draw, CASES as NATIVE_CASES } from '../native/cases.js';
import { FILLINGS } from './plain-numbers.js';

const CLIP = 1e-7;

/** A random call of each function of the module. Those that native kernels have too are in their cases. */
export const CASES: Readonly<Record<string, (draw: Draw, others: OtherTypes) => Call>> = {
  ...NATIVE_CASES,

  sumOfSums: (draw) => {
    const [time, batch, n] = [draw.whole(1, 4), draw.whole(1, 40), draw.whole(1, 30)];
    return { args: [draw.floats(time * batch * n), draw.floats(n), draw.floats(n), time, batch, n] };
  },

  padImages: (draw) => {
    const [n, height, width, channels] = [
      draw.whole(1, 2),
      draw.whole(1, 5),
      draw.whole(1, 5),
      draw.whole(1, 9),
    ];
    const [outH, outW] = [draw.whole(1, 14), draw.whole(1, 14)];
    const [spreadH, spreadW] = [draw.whole(1, 3), draw.whole(1, 3)];
    const [x, out] = [draw.floats(n * height * width * channels), draw.floats(n * outH * outW * channels)];
    // What does not fit is left out: the images may be larger than the result, on every side.
    // biome-ignore format: the order of padImages.
    return { args: [x, out, n, height, width, channels, outH, outW, draw.whole(-2, 3), draw.whole(-2, 3), spreadH, spreadW] };
  },
  packFilter: (draw) => {
    const [depth, filters] = [draw.whole(1, 40), draw.whole(1, 30)];
    return {
      args: [draw.floats(depth * filters), draw.floats(depth * Math.ceil(filters / 8) * 8), depth, filters],
    };
  },
  packFilterReversed: (draw) => {
    const [taps, channels, filters] = [draw.whole(1, 9), draw.whole(1, 20), draw.whole(1, 20)];
    const out = draw.floats(taps * filters * Math.ceil(channels / 8) * 8);
    return { args: [draw.floats(taps * channels * filters), out, taps, channels, filters] };
  },
  repeatChannels: (draw) => {
    const [pixels, channels, times] = [draw.whole(1, 9), draw.whole(1, 7), draw.whole(1, 5)];
    const size = pixels * channels;
    return { args: [draw.floats(size), draw.floats(size * times), pixels, channels, times] };
  },
  sumRepeated: (draw) => {
    const [count, times] = [draw.whole(1, 30), draw.whole(1, 5)];
    return { args: [draw.floats(count * times), draw.floats(count), count, times] };
  },
  maxPool: (draw) => {
    const { args, inside, outside } = pool(draw);
    return { args: [draw.floats(inside), draw.floats(outside), ...args] };
  },
  maxPoolGradient: (draw) => {
    const { args, inside, outside } = pool(draw);
    return {
      args: [draw.floats(outside), draw.floats(inside), draw.floats(outside), draw.floats(inside), ...args],
    };
  },
  averagePool: (draw) => {
    const { args, inside, outside } = pool(draw);
    return { args: [draw.floats(inside), draw.floats(outside), ...args] };
  },
  averagePoolGradient: (draw) => {
    const { args, inside, outside } = pool(draw);
    return { args: [draw.floats(outside), draw.floats(inside), ...args, draw.number(0.1, 1)] };
  },
  maxPool3d: (draw) => {
    const g = volume(draw);
    const isBackward = draw.flag();
    const [x, y] = [draw.floats(g.inside), isBackward ? 0 : draw.floats(g.outside)];
    const positions = !isBackward && draw.flag() ? draw.floats(g.outside) : 0;
    const [dy, dx] = isBackward ? [draw.floats(g.outside), draw.floats(g.inside)] : [0, 0];
    const image = [g.n, ...g.size, g.channels];
    // biome-ignore format: the order of maxPool3d.
    return { args: [x, y, positions, draw.flag(), dy, dx, ...image, ...g.out, ...g.filter, ...g.stride, ...g.before] };
  },
  patches3d: (draw) => {
    const g = volume(draw);
    const rows = g.n * g.out[0]! * g.out[1]! * g.out[2]!;
    const first = draw.whole(0, rows - 1);
    const count = draw.whole(1, rows - first);
    const matrix = draw.floats(count * g.filter[0]! * g.filter[1]! * g.filter[2]! * g.channels);
    const dilation = [draw.whole(1, 2), draw.whole(1, 2), draw.whole(1, 2)];
    // biome-ignore format: the order of patches3d.
    return { args: [draw.floats(g.inside), matrix, first, count, ...g.size, g.channels, ...g.out, ...g.filter, ...g.stride, ...dilation, ...g.before, draw.flag()] };
  },

  reduce: (draw) => {
    const [outer, count, inner] = [draw.whole(1, 4), draw.whole(1, 20), draw.flag() ? 1 : draw.whole(1, 20)];
    return {
      args: [
        draw.whole(0, 2),
        draw.floats(outer * count * inner),
        draw.floats(outer * inner),
        outer,
        count,
        inner,
      ],
    };
  },
  compare: (draw) => {
    const { args } = NATIVE_CASES.binary!(draw);
    return { args: [draw.whole(0, Object.keys(COMPARE).length - 1), ...args.slice(1)] };
  },
  select: (draw, { bytes }) => {
    const n = draw.whole(1, 40);
    return { args: [bytes(n), draw.floats(n), draw.floats(n), draw.floats(n), n] };
  },
  floatsOfBytes: (draw, { bytes }) => {
    const n = draw.whole(1, 40);
    return { args: [bytes(n), draw.floats(n), n] };
  },
  floatsOfInts: (draw, { words }) => {
    const n = draw.whole(1, 40);
    return { args: [words(n, -(2 ** 24), 2 ** 24), draw.floats(n), n] };
  },
  bytesOfFloats: (draw) => {
    const n = draw.whole(1, 40);
    return { args: [draw.flag() ? draw.between(n, 0, 0) : draw.floats(n), draw.floats(n), n] };
  },
  bytesOfInts: (draw, { words }) => {
    const n = draw.whole(1, 40);
    return { args: [words(n, -1, 256), draw.floats(n), n] };
  },
  copyStrided: (draw) => {
    const [n0, n1, n2, n3] = [draw.whole(1, 3), draw.whole(1, 4), draw.whole(1, 5), draw.whole(1, 20)];
    const step = draw.whole(1, 2);
    const to = [n1 * n2 * n3 * step, n2 * n3 * step, n3 * step, step];
    const from = [n1 * n2 * n3, n2 * n3, n3].map((whole) => (draw.flag() ? whole : 0));
    const last = [1, 0, 2, -1][draw.whole(0, 3)]!;
    const size = n0 * n1 * n2 * n3;
    const start = draw.floats(3 * size) + size * 4;
    return { args: [start, draw.floats(size * step), n0, n1, n2, n3, ...from, last, ...to] };
  },
  transpose: (draw) => {
    const [batch, height, width] = [draw.whole(1, 3), draw.whole(1, 20), draw.whole(1, 20)];
    const size = batch * height * width;
    return { args: [draw.floats(size), draw.floats(size), batch, height, width] };
  },
  fill: (draw) => {
    const n = draw.whole(1, 30);
    return { args: [draw.floats(n), n, FILLINGS[draw.whole(0, FILLINGS.length - 1)]!] };
  },
  gather: (draw, { words }) => {
    const [outer, axis, n, inner] = [draw.whole(1, 3), draw.whole(1, 9), draw.whole(1, 12), draw.whole(1, 9)];
    // Now and then one is outside.
    const indices = words(n, draw.whole(1, 8) === 1 ? -1 : 0, axis - 1);
    return {
      args: [
        draw.floats(outer * axis * inner),
        indices,
        draw.floats(outer * n * inner),
        outer,
        axis,
        n,
        inner,
      ],
    };
  },
  segmentSum: (draw, { words }) => {
    const [n, inner, segments] = [draw.whole(1, 30), draw.whole(1, 9), draw.whole(1, 7)];
    return {
      args: [
        draw.floats(n * inner),
        words(n, -1, segments),
        draw.floats(segments * inner),
        n,
        inner,
        segments,
      ],
    };
  },

  moveAverage: (draw) => {
    const n = draw.whole(1, 20);
    return { args: [draw.floats(n), draw.floats(n), draw.floats(n), n, draw.number(0, 1)] };
  },
  allFinite: (draw) => {
    const n = draw.whole(1, 40);
    // Some of these are too large for a float, and infinite.
    return { args: [draw.flag() ? draw.floats(n) : draw.between(n, 3.4e38, 3.404e38), n] };
  },

  softmaxCrossentropy: (draw) => {
    const [height, width] = [draw.whole(1, 9), draw.whole(1, 20)];
    const size = height * width;
    const [x, target] = [outputsOf('softmax', draw, size), draw.between(size, 0, 1)];
    return { args: [x, target, draw.floats(size), draw.floats(2 * height), height, width] };
  },
  softmaxCrossentropyGradient: (draw) => {
    const [height, width] = [draw.whole(1, 9), draw.whole(1, 20)];
    const size = height * width;
    const p = draw.between(size, 0, 1);
    const out = draw.flag() ? p : draw.floats(size);
    return { args: [p, draw.between(size, 0, 1), out, height, width, draw.number(-2, 2)] };
  },
  ...Object.fromEntries(
    ['meanSquaredError', 'sigmoidCrossentropy', 'binaryCrossentropy', 'categoricalCrossentropy'].flatMap(
      (name) => {
        const settings = /binary|categorical/.test(name) ? [CLIP] : [];
        const operands = (draw: Draw) => {
          // Around the end of a block.
          const n = draw.flag() ? draw.whole(1, 1100) : draw.whole(1020, 2100);
          return { n, x: outputsOf(name, draw, n), target: draw.between(n, 0, 1) };
        };
        return [
          [
            name,
            (draw: Draw): Call => {
              const { n, x, target } = operands(draw);
              const totals = draw.floats(2 * blocksOf(n, LOSS_NUMBERS));
              return { args: [x, target, totals, n, ...settings] };
            },
          ],
          [
            `${name}Gradient`,
            (draw: Draw): Call => {
              const { n, x, target } = operands(draw);
              return { args: [x, target, draw.floats(n), n, ...settings, draw.number(-2, 2)] };
            },
          ],
        ] as const;
      },
    ),
  ),
  joinTotals: (draw, { doubles }) => {
    const count = draw.whole(1, 40);
    return { args: [doubles(count), draw.floats(1), count, draw.whole(1, 1000)] };
  },

  sgd: (draw) => {
    const n = draw.whole(1, 50);
    const velocity = draw.flag() ? draw.floats(n) : 0;
    // biome-ignore format: the order of sgd.
    return { args: [draw.floats(n), velocity, draw.floats(n), n, draw.number(0.01, 0.5), draw.number(0, 1), draw.flag(), decayOf(draw)] };
  },
  rmsprop: (draw) => {
    const n = draw.whole(1, 50);
    const square = draw.between(n, 4, 9);
    const [mean, velocity] = [draw.flag() ? draw.between(n, -1, 1) : 0, draw.flag() ? draw.floats(n) : 0];
    // biome-ignore format: the order of rmsprop.
    return { args: [draw.floats(n), square, mean, velocity, draw.floats(n), n, draw.number(0.01, 0.5), 0.9, 0.1, 1e-7, draw.number(0, 1), decayOf(draw)] };
  },
  adagrad: (draw) => {
    const n = draw.whole(1, 50);
    const start = draw.flag() ? 0 : 0.1;
    // biome-ignore format: the order of adagrad.
    return { args: [draw.floats(n), draw.between(n, 0, 2), draw.floats(n), n, draw.number(0.01, 0.5), start, 1e-7, decayOf(draw)] };
  },
  adadelta: (draw) => {
    const n = draw.whole(1, 50);
    // biome-ignore format: the order of adadelta.
    return { args: [draw.floats(n), draw.between(n, 0, 2), draw.between(n, 0, 2), draw.floats(n), n, draw.number(0.1, 1), 0.9, 0.1, 1e-6, decayOf(draw)] };
  },
  lion: (draw) => {
    const n = draw.whole(1, 50);
    const keep = draw.flag() ? 1 : 0.99;
    // biome-ignore format: the order of lion.
    return { args: [draw.floats(n), draw.floats(n), draw.floats(n), n, draw.number(0.01, 0.5), 0.9, 0.1, 0.99, 0.01, keep] };
  },
};

/** Memory with whole numbers from `low` to `high`, with bytes of 0 and 1, and with doubles. */
export interface OtherTypes {
  words(count: number, low: number, high: number): number;
  bytes(count: number): number;
  doubles(count: number): number;
}

/** Probabilities, some of which are 0, 1 or beyond, or logits. */
function outputsOf(loss: string, draw: Draw, count: number): number {
  return /binary|categorical/.test(loss) ? draw.between(count, -0.05, 1.05) : draw.between(count, -9, 9);
}

function decayOf(draw: Draw): number {
  return draw.flag() ? 0 : draw.number(0.01, 0.1);
}

function pool(draw: Draw) {
  const paired = draw.whole(1, 4) === 1;
  const [n, channels] = [draw.whole(1, 2), paired ? 4 * draw.whole(1, 3) : draw.whole(1, 11)];
  // Pairs that touch have a way of their own.
  const [fh, fw, sh, sw] = [0, 1, 2, 3].map(() => (paired ? 2 : draw.whole(1, 3)));
  const [outH, outW] = [draw.whole(1, 5), draw.whole(1, 5)];
  const [top, left] = paired ? [0, 0] : [draw.whole(0, fh! - 1), draw.whole(0, fw! - 1)];
  const [height, width] = [(outH - 1) * sh! + fh! - top!, (outW - 1) * sw! + fw! - left!];
  return {
    args: [n, height, width, channels, outH, outW, fh!, fw!, sh!, sw!, top!, left!],
    inside: n * height * width * channels,
    outside: n * outH * outW * channels,
  };
}

function volume(draw: Draw) {
  const three = (low: number, high: number) => [0, 1, 2].map(() => draw.whole(low, high));
  const [n, channels, size, out] = [draw.whole(1, 2), draw.whole(1, 6), three(2, 5), three(1, 3)];
  const [filter, stride, before] = [three(1, 2), three(1, 2), three(0, 1)];
  return {
    n,
    channels,
    size,
    out,
    filter,
    stride,
    before,
    inside: n * size[0]! * size[1]! * size[2]! * channels,
    outside: n * out[0]! * out[1]! * out[2]! * channels,
  };
}
