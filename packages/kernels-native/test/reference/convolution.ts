import { fused } from '../support/fused.js';
import { relu } from './relu.js';

/** Of images that are padded already. */
export interface ConvolutionSizes {
  readonly n: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly outHeight: number;
  readonly outWidth: number;
  readonly filters: number;
  readonly filterH: number;
  readonly filterW: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
}

/** One sum over all taps in their order, then the bias, then relu. The filter is [filterH, filterW, channels, filters]. */
export function convolution(
  x: Float32Array,
  filter: Float32Array,
  s: ConvolutionSizes,
  { bias, relu: isRelu = false }: { bias?: Float32Array; relu?: boolean } = {},
): Float32Array {
  const y = new Float32Array(s.n * s.outHeight * s.outWidth * s.filters);
  let at = 0;
  for (const [image, oh, ow] of pixels(s)) {
    for (let j = 0; j < s.filters; j++) {
      let sum = 0;
      for (let tap = 0; tap < s.filterH * s.filterW * s.channels; tap++) {
        sum = fused(x[source(s, image, oh, ow, tap)]!, filter[tap * s.filters + j]!, sum);
      }
      if (bias) sum = Math.fround(sum + bias[j]!);
      y[at++] = isRelu ? relu(sum) : sum;
    }
  }
  return y;
}

/** A sum for each band of some 256 pixels of an image, added in order. */
export function filterGradient(x: Float32Array, dy: Float32Array, s: ConvolutionSizes): Float32Array {
  const taps = s.filterH * s.filterW * s.channels;
  const rows = Math.max(1, Math.min(s.outHeight, Math.floor(256 / s.outWidth)));
  return Float32Array.from({ length: taps * s.filters }, (_, place) => {
    const [tap, j] = [Math.floor(place / s.filters), place % s.filters];
    let total: number | undefined;
    let sum = 0;
    let pixel = 0;
    for (const [image, oh, ow] of pixels(s)) {
      sum = fused(x[source(s, image, oh, ow, tap)]!, dy[pixel++ * s.filters + j]!, sum);
      const bandEnds = ow === s.outWidth - 1 && ((oh + 1) % rows === 0 || oh === s.outHeight - 1);
      if (!bandEnds) continue;
      total = total === undefined ? sum : Math.fround(total + sum);
      sum = 0;
    }
    return total!;
  });
}

/** Panels of 8 filters, [filters / 8][taps][8], which WebAssembly packs before it calls. */
export function packedFilter(filter: Float32Array, taps: number, filters: number): Float32Array {
  const panels = new Float32Array(taps * Math.ceil(filters / 8) * 8);
  for (let tap = 0; tap < taps; tap++) {
    for (let j = 0; j < filters; j++) {
      panels[(Math.floor(j / 8) * taps + tap) * 8 + (j % 8)] = filter[tap * filters + j]!;
    }
  }
  return panels;
}

function* pixels(s: ConvolutionSizes): Generator<readonly [image: number, oh: number, ow: number]> {
  for (let image = 0; image < s.n; image++) {
    for (let oh = 0; oh < s.outHeight; oh++) {
      for (let ow = 0; ow < s.outWidth; ow++) yield [image, oh, ow];
    }
  }
}

function source(s: ConvolutionSizes, image: number, oh: number, ow: number, tap: number): number {
  const c = tap % s.channels;
  const kw = Math.floor(tap / s.channels) % s.filterW;
  const kh = Math.floor(tap / s.channels / s.filterW);
  const row = image * s.height + oh * s.strideH + kh * s.dilationH;
  return (row * s.width + ow * s.strideW + kw * s.dilationW) * s.channels + c;
}
