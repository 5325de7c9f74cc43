import { type Cost, ranges, type Splitter, shares } from './split.js';

/** For a multiplication and its addition, of which there are n x outHeight x outWidth x filters x channels x taps. */
const COST: Cost = { units: [3, 6, 7, 8, 9, 10, 11], nanoseconds: 1 / 18 };

/** conv: images are shared out, or, where they are few, the rows of each. */
export const splitConv: Splitter = {
  cost: COST,
  split: (args, threads) => {
    const [x, , y, n, height, width, channels, outHeight, outWidth, filters, , , strideH] = args as Sixteen;
    const place = (image: number, row: number, images: number, rows: number): number[] => {
      const call = args.slice();
      call[0] = x + (image * height + row * strideH) * width * channels * 4;
      call[2] = y + (image * outHeight + row) * outWidth * filters * 4;
      call[3] = images;
      call[7] = rows;
      return call;
    };
    const parts = threads * 2;
    if (n >= parts || outHeight < parts) {
      const calls = shares(n, threads).map(({ first, count }) => place(first, 0, count, outHeight));
      return { name: 'conv', calls };
    }
    const calls = Array.from({ length: n }, (_, image) =>
      ranges(outHeight, Math.ceil(parts / n), 1).map(({ first, count }) => place(image, first, 1, count)),
    );
    return { name: 'conv', calls: calls.flat() };
  },
};

/** convFilterGradient: every number of it is a sum over all images, so that the tiles of the filter are shared out. */
export const splitConvFilterGradient: Splitter = {
  cost: COST,
  split: (args, threads) => {
    const [, , , , , , channels, , , filters, filterH, filterW, , , , dilationW] = args as Sixteen;
    const runs = dilationW === 1 ? 1 : filterW;
    const tiles = filterH * runs * Math.ceil((filterW * channels) / runs / 4) * Math.ceil(filters / 8);
    const calls = shares(tiles, threads).map(({ first, count }) => [...args, first, first + count]);
    return { name: 'convFilterGradientPart', calls };
  },
};

// biome-ignore format: one line.
type Sixteen = [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number];
