import { describe, expect, it } from 'vitest';
import { type ConvolutionSizes, filterGradient } from './reference/convolution.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { convolutionOf, GEOMETRIES, sizeOf } from './support/geometry.js';
import { floats, specialFloats } from './support/numbers.js';

const operands = (s: ConvolutionSizes, numbers = floats) => ({
  x: numbers(sizeOf(s).images, 4),
  dy: numbers(sizeOf(s).results, 5),
});

describe.skipIf(!kernels)('convFilterGradient', () => {
  const run = (s: ConvolutionSizes, numbers = floats): void => {
    const inputs = operands(s, numbers);
    const outputs = { out: sizeOf(s).taps * s.filters };
    const { out } = call('convFilterGradient', { inputs, outputs, values: { ...s } });
    expectBits(out!, filterGradient(inputs.x, inputs.dy, s), `${s.outHeight} x ${s.outWidth}`);
  };

  it.each(Object.keys(GEOMETRIES))('has the right bits for %s', (name) => {
    run(GEOMETRIES[name]!);
  });

  it('has the right bits for every number of taps and filters around a tile', () => {
    for (const filters of [1, 8, 9, 16, 17, 32, 33]) run(convolutionOf({ filters, outHeight: 2 }));
    for (const channels of [1, 2, 4, 5, 6, 7, 12, 13]) {
      run(convolutionOf({ channels, outHeight: 2, filterH: 1, filterW: 1 }));
      run(convolutionOf({ channels, outHeight: 2, filterH: 2, filterW: 2, dilationW: 2 }));
    }
  });

  it('sums bands of 256 pixels, and of whole rows where a row is longer', () => {
    const small = { channels: 1, filters: 3, filterH: 1, filterW: 2 };
    for (const [outHeight, outWidth] of [
      [3, 85],
      [4, 86],
      [3, 127],
      [3, 128],
      [3, 129],
      [2, 255],
      [2, 256],
      [2, 257],
      [300, 1],
    ] as const) {
      run(convolutionOf({ ...small, outHeight, outWidth }));
    }
  });

  it('keeps special numbers where they belong', () => {
    run(convolutionOf({ filters: 9 }), (count, seed) => specialFloats(count, seed, 80));
    run(convolutionOf({ filters: 9, dilationW: 2, outHeight: 1, outWidth: 2 }), specialFloats);
  });
});

describe.skipIf(!kernels)('convFilterGradientPart', () => {
  /** The tile of 4 taps x 8 filters that a number of the gradient is in; taps of one run of neighbours share tiles. */
  const tileOf = (s: ConvolutionSizes, place: number): number => {
    const run = s.dilationW === 1 ? s.filterW * s.channels : s.channels;
    const [tap, filter] = [Math.floor(place / s.filters), place % s.filters];
    const row = Math.floor(tap / run) * Math.ceil(run / 4) + Math.floor((tap % run) / 4);
    return row * Math.ceil(s.filters / 8) + Math.floor(filter / 8);
  };

  const PARTED: Readonly<Record<string, ConvolutionSizes>> = {
    'neighbours in a row': convolutionOf({ channels: 5, filters: 19, outHeight: 2 }),
    'taps apart from each other': convolutionOf({ channels: 6, filters: 17, dilationW: 2, outHeight: 2 }),
    'one column of tiles': convolutionOf({ channels: 7, filters: 8, outHeight: 2 }),
    'bands of pixels': convolutionOf({
      n: 1,
      channels: 2,
      filters: 9,
      outHeight: 5,
      outWidth: 100,
      filterH: 1,
    }),
  };

  it.each(Object.keys(PARTED))('writes the tiles from the first to the end, and nothing else: %s', (name) => {
    const s = PARTED[name]!;
    const inputs = operands(s);
    const count = sizeOf(s).taps * s.filters;
    const whole = filterGradient(inputs.x, inputs.dy, s);
    const before = floats(count, 6);
    const tiles = tileOf(s, count - 1) + 1;
    for (const [first, end] of [
      [0, 1],
      [1, 4],
      [2, 3],
      [3, tiles],
      [0, tiles],
      [tiles - 1, tiles + 50],
      [4, 4],
      [5, 2],
      [tiles + 3, tiles + 9],
    ] as const) {
      const { out } = call('convFilterGradientPart', {
        inputs,
        outputs: { out: before },
        values: { ...s, first, end },
      });
      const expected = before.map((each, place) => {
        const tile = tileOf(s, place);
        return tile >= first && tile < end ? whole[place]! : each;
      });
      expectBits(out!, expected, `tiles ${first} to ${end} of ${tiles}`);
    }
  });

  it('gives the whole gradient in as many parts as there are threads', () => {
    const s = convolutionOf({ channels: 7, filters: 21 });
    const inputs = operands(s);
    const count = sizeOf(s).taps * s.filters;
    const tiles = tileOf(s, count - 1) + 1;
    for (const threads of [2, 3, 5]) {
      let out = floats(count, 7);
      for (let part = 0; part < threads; part++) {
        const first = Math.floor((tiles * part) / threads);
        const end = Math.floor((tiles * (part + 1)) / threads);
        out = call('convFilterGradientPart', { inputs, outputs: { out }, values: { ...s, first, end } }).out!;
      }
      expectBits(out, filterGradient(inputs.x, inputs.dy, s), `${threads} parts`);
    }
    expect(tiles).toBeGreaterThan(5);
  });
});
