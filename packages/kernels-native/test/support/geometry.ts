import type { ConvolutionSizes } from '../reference/convolution.js';

const SIMPLE = {
  ...{ n: 2, channels: 3, outHeight: 4, outWidth: 3, filters: 5, filterH: 3, filterW: 3 },
  ...{ strideH: 1, strideW: 1, dilationH: 1, dilationW: 1 },
};

/** Images that are just as large as the result needs them, with `spare` rows and columns that nobody reads. */
export function convolutionOf(changes: Partial<ConvolutionSizes> = {}, spare = 0): ConvolutionSizes {
  const s = { ...SIMPLE, ...changes };
  const height = (s.outHeight - 1) * s.strideH + (s.filterH - 1) * s.dilationH + 1 + spare;
  const width = (s.outWidth - 1) * s.strideW + (s.filterW - 1) * s.dilationW + 1 + spare;
  return { ...s, height, width };
}

/** What a convolution of images may be like, one thing at a time and then all of them. */
export const GEOMETRIES: Readonly<Record<string, ConvolutionSizes>> = {
  plain: convolutionOf(),
  'one pixel': convolutionOf({ n: 1, outHeight: 1, outWidth: 1, filterH: 1, filterW: 1 }),
  'a filter of 1 x 1': convolutionOf({ filterH: 1, filterW: 1, channels: 17 }),
  'a filter as large as the image': convolutionOf({ outHeight: 1, outWidth: 1, filterH: 5, filterW: 4 }),
  'a filter that is not square': convolutionOf({ filterH: 1, filterW: 4 }),
  strides: convolutionOf({ strideH: 2, strideW: 3 }),
  'a dilation downwards': convolutionOf({ dilationH: 2 }),
  'a dilation to the right': convolutionOf({ dilationW: 3 }),
  'a dilation of a filter of one column': convolutionOf({ filterW: 1, dilationW: 3 }),
  'pixels that nobody reads': convolutionOf({ strideH: 2, strideW: 2 }, 2),
  'strides and dilations': convolutionOf({ strideH: 2, strideW: 2, dilationH: 3, dilationW: 2, channels: 4 }),
};

export const sizeOf = (s: ConvolutionSizes) => ({
  images: s.n * s.height * s.width * s.channels,
  results: s.n * s.outHeight * s.outWidth * s.filters,
  taps: s.filterH * s.filterW * s.channels,
});
