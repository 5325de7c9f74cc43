import { describe, expect, it } from 'vitest';
import { type ConvolutionSizes, convolution, packedFilter } from './reference/convolution.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { convolutionOf, GEOMETRIES, sizeOf } from './support/geometry.js';
import { floats, specialFloats } from './support/numbers.js';

describe.skipIf(!kernels)('conv', () => {
  const run = (s: ConvolutionSizes, { bias = false, relu = false, numbers = floats } = {}): void => {
    const { images, results, taps } = sizeOf(s);
    const [x, filter, offsets] = [numbers(images, 1), numbers(taps * s.filters, 2), numbers(s.filters, 3)];
    const { y } = call('conv', {
      inputs: { x, filter: packedFilter(filter, taps, s.filters), ...(bias && { bias: offsets }) },
      outputs: { y: results },
      values: { ...s, relu },
    });
    expectBits(
      y!,
      convolution(x, filter, s, { relu, ...(bias && { bias: offsets }) }),
      `${s.filters} filters`,
    );
  };

  it.each(Object.keys(GEOMETRIES))('has the right bits for %s', (name) => {
    run(GEOMETRIES[name]!);
    run(GEOMETRIES[name]!, { bias: true, relu: true });
  });

  it('has the right bits for every number of filters around a panel and two vectors', () => {
    for (const filters of [1, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 40, 41, 65]) {
      run(convolutionOf({ filters, outHeight: 2, channels: 2 }), { bias: true });
    }
  });

  it('has the right bits for every number of pixels around a tile, and around a table of addresses', () => {
    for (const outWidth of [1, 5, 6, 7, 8, 9, 12, 13]) {
      run(convolutionOf({ n: 1, outHeight: 1, outWidth, channels: 2 }));
    }
    for (const outWidth of [119, 120, 121, 241]) {
      run(convolutionOf({ n: 1, outHeight: 2, outWidth, channels: 1, filterH: 1 }));
    }
  });

  it('crosses from one image to the next in the middle of a tile', () => {
    run(convolutionOf({ n: 7, outHeight: 1, outWidth: 5, strideH: 2 }, 1));
  });

  it('has one sum for however many taps: it does not start again at 256, as a product does', () => {
    const s = convolutionOf({ n: 1, channels: 90, outHeight: 2, outWidth: 2 });
    expect(sizeOf(s).taps).toBeGreaterThan(512);
    run(s);
    run({ ...s, ...convolutionOf({ ...s, dilationW: 2 }) });
  });

  it('does not read the padding of a panel into a result', () => {
    const s = convolutionOf({ filters: 5 });
    const { images, results, taps } = sizeOf(s);
    const [x, filter] = [floats(images, 1), floats(taps * 5, 2)];
    const panels = packedFilter(filter, taps, 5).map((each, i) => (i % 8 >= 5 ? Number.NaN : each));
    const { y } = call('conv', { inputs: { x, filter: panels }, outputs: { y: results }, values: { ...s } });
    expectBits(y!, convolution(x, filter, s));
  });

  it('keeps special numbers where they belong', () => {
    for (const relu of [false, true]) {
      run(convolutionOf({ filters: 9 }), {
        relu,
        bias: true,
        numbers: (n, seed) => specialFloats(n, seed, 60),
      });
      run(GEOMETRIES['strides and dilations']!, { relu, numbers: specialFloats });
    }
  });
});
