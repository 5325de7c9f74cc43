import { describe, expect, it } from 'vitest';
import {
  type DepthwiseSizes,
  depthwise,
  depthwiseFilterGradient,
  depthwiseInputGradient,
} from './reference/depthwise.js';
import { argumentsOf } from './support/argument-names.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const SIMPLE: DepthwiseSizes = {
  ...{ n: 2, height: 5, width: 6, channels: 5, outHeight: 5, outWidth: 6, filterH: 3, filterW: 3 },
  ...{ strideH: 1, strideW: 1, dilationH: 1, dilationW: 1, top: 1, left: 1 },
};

const GEOMETRIES: Readonly<Record<string, DepthwiseSizes>> = {
  'the size stays': SIMPLE,
  'no padding': { ...SIMPLE, outHeight: 3, outWidth: 4, top: 0, left: 0 },
  strides: { ...SIMPLE, outHeight: 3, outWidth: 2, strideH: 2, strideW: 3 },
  dilations: { ...SIMPLE, dilationH: 2, dilationW: 3, top: 2, left: 3 },
  'strides and dilations': { ...SIMPLE, outHeight: 3, outWidth: 3, strideH: 2, strideW: 2, dilationW: 2 },
  'a filter of 1 x 1': { ...SIMPLE, filterH: 1, filterW: 1, top: 0, left: 0 },
  'a filter that is not square': { ...SIMPLE, filterH: 1, filterW: 4, top: 0 },
  'one pixel': { ...SIMPLE, n: 1, height: 1, width: 1, outHeight: 1, outWidth: 1 },
  'padding that is larger than the filter': { ...SIMPLE, outHeight: 9, outWidth: 11, top: 4, left: 5 },
  'a padding that cuts off': { ...SIMPLE, outHeight: 2, outWidth: 2, top: -2, left: -1 },
  'a result that goes beyond the image': { ...SIMPLE, outHeight: 8, outWidth: 9 },
};

const CHANNELS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 15, 16, 17, 20, 31, 32, 33];

const inside = (s: DepthwiseSizes): number => s.n * s.height * s.width * s.channels;
const outside = (s: DepthwiseSizes): number => s.n * s.outHeight * s.outWidth * s.channels;
const weights = (s: DepthwiseSizes): number => s.filterH * s.filterW * s.channels;

const forward = (s: DepthwiseSizes, { bias = false, relu = false, numbers = floats } = {}): void => {
  const [x, filter, offsets] = [numbers(inside(s), 1), numbers(weights(s), 2), numbers(s.channels, 3)];
  const { y } = call('depthwise', {
    inputs: { x, filter, ...(bias && { bias: offsets }) },
    outputs: { y: outside(s) },
    values: { ...s, relu },
  });
  expectBits(y!, depthwise(x, filter, s, { relu, ...(bias && { bias: offsets }) }), `${s.channels} channels`);
};

const toInput = (s: DepthwiseSizes, numbers = floats): void => {
  const inputs = { dy: numbers(outside(s), 4), filter: numbers(weights(s), 5) };
  const { dx } = call('depthwiseInputGradient', { inputs, outputs: { dx: inside(s) }, values: { ...s } });
  expectBits(dx!, depthwiseInputGradient(inputs.dy, inputs.filter, s), `${s.channels} channels`);
};

const toFilter = (s: DepthwiseSizes, numbers = floats): void => {
  const inputs = { x: numbers(inside(s), 6), dy: numbers(outside(s), 7) };
  const { out } = call('depthwiseFilterGradient', { inputs, outputs: { out: weights(s) }, values: { ...s } });
  expectBits(out!, depthwiseFilterGradient(inputs.x, inputs.dy, s), `${s.channels} channels`);
};

const KERNELS = { depthwise: forward, depthwiseInputGradient: toInput, depthwiseFilterGradient: toFilter };

describe.skipIf(!kernels)('depthwise', () => {
  it('adds the bias first, and relu comes last', () => {
    for (const channels of [3, 4, 9]) {
      for (const relu of [false, true]) forward({ ...SIMPLE, channels }, { bias: true, relu });
    }
  });

  it.each(Object.keys(KERNELS))('%s leaves a filter of more than 4096 taps to the caller', (name) => {
    const memory = new Uint8Array(1 << 18);
    const large = {
      ...SIMPLE,
      n: 1,
      channels: 1,
      filterH: 64,
      relu: 0,
      bias: 0,
      x: 0,
      filter: 0,
      y: 0,
      dy: 0,
    };
    const operands = { dx: 1 << 17, out: 1 << 17, y: 1 << 17 };
    const values: Record<string, number> = { ...large, ...operands };
    const run = (filterW: number): boolean =>
      kernels!.bind(
        name,
        () => memory,
      )(...argumentsOf(name).map((each) => (each === 'filterW' ? filterW : values[each]!)));
    expect(run(65)).toBe(false);
    expect(memory.every((byte) => byte === 0)).toBe(true);
    expect(run(64)).toBe(true);
  });
});

describe.skipIf(!kernels).each(Object.keys(KERNELS))('%s', (name) => {
  const check = KERNELS[name as keyof typeof KERNELS] as (s: DepthwiseSizes) => void;

  it.each(Object.keys(GEOMETRIES))('has the right bits where: %s', (geometry) => {
    check(GEOMETRIES[geometry]!);
  });

  it('has the right bits for every number of channels around a vector', () => {
    for (const channels of CHANNELS) check({ ...SIMPLE, n: 1, height: 3, outHeight: 3, channels });
  });

  it('keeps special numbers where they belong', () => {
    const special = (count: number, seed?: number) => specialFloats(count, seed, 30);
    for (const channels of [3, 9, 16]) {
      forward({ ...SIMPLE, channels }, { bias: true, relu: channels === 9, numbers: special });
      toInput({ ...SIMPLE, channels }, special);
      toFilter({ ...SIMPLE, channels }, special);
    }
  });
});

describe.skipIf(!kernels)('depthwise3x3', () => {
  /** The images are padded already. */
  const check = (
    changes: Partial<DepthwiseSizes>,
    { bias = false, relu = false, turned = false } = {},
  ): void => {
    const s = { ...SIMPLE, top: 0, left: 0, ...changes };
    const height = (s.outHeight - 1) * s.strideH + 2 * s.dilationH + 1;
    const width = (s.outWidth - 1) * s.strideW + 2 * s.dilationW + 1;
    const padded = { ...s, height, width };
    const { filterH: _h, filterW: _w, top: _t, left: _l, ...values } = padded;
    const [x, filter, offsets] = [
      floats(inside(padded), 1),
      floats(9 * s.channels, 2),
      floats(s.channels, 3),
    ];
    const { y } = call('depthwise3x3', {
      inputs: { x, filter, ...(bias && { bias: offsets }) },
      outputs: { y: outside(padded) },
      values: { ...values, relu, turned },
    });
    const weight = (i: number): number => (8 - Math.floor(i / s.channels)) * s.channels + (i % s.channels);
    const used = turned ? filter.map((_, i) => filter[weight(i)]!) : filter;
    expectBits(
      y!,
      depthwise(x, used, padded, { relu, ...(bias && { bias: offsets }) }),
      `${s.channels} channels`,
    );
  };

  it.each([false, true])('has the bits of a depthwise convolution with its filter turned: %s', (turned) => {
    for (const channels of CHANNELS) check({ channels, n: 1, outHeight: 2, outWidth: 3 }, { turned });
    check({ strideH: 2, strideW: 3, outHeight: 2, outWidth: 2 }, { turned, bias: true });
    check({ dilationH: 2, dilationW: 3, channels: 13 }, { turned, bias: true, relu: true });
    check({ outHeight: 1, outWidth: 1 }, { turned });
  });
});
