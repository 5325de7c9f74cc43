import { fused, rounded } from '../support/fused.js';
import { relu } from './relu.js';

export interface DepthwiseSizes {
  readonly n: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly outHeight: number;
  readonly outWidth: number;
  readonly filterH: number;
  readonly filterW: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly dilationH: number;
  readonly dilationW: number;
  readonly top: number;
  readonly left: number;
}

export interface DepthwiseFinish {
  readonly bias?: Float32Array;
  readonly relu?: boolean;
}

/** The sum of a pixel starts from its bias. Taps in the padding are left out. */
export function depthwise(
  x: Float32Array,
  filter: Float32Array,
  s: DepthwiseSizes,
  { bias, relu: isRelu = false }: DepthwiseFinish = {},
): Float32Array {
  const y = new Float32Array(s.n * s.outHeight * s.outWidth * s.channels);
  for (let i = 0; i < y.length; i++) y[i] = bias?.[i % s.channels] ?? 0;
  for (const { input, output, weight, c } of taps(s)) {
    y[output] = addition(s, c)(x[input]!, filter[weight]!, y[output]!);
  }
  return isRelu ? y.map(relu) : y;
}

export function depthwiseInputGradient(
  dy: Float32Array,
  filter: Float32Array,
  s: DepthwiseSizes,
): Float32Array {
  const dx = new Float32Array(s.n * s.height * s.width * s.channels);
  // A pixel of the images is reached by its taps in their order.
  const ordered = [...taps(s)].sort((a, b) => a.input - b.input || a.weight - b.weight);
  for (const { input, output, weight, c } of ordered) {
    dx[input] = addition(s, c)(dy[output]!, filter[weight]!, dx[input]!);
  }
  return dx;
}

export function depthwiseFilterGradient(x: Float32Array, dy: Float32Array, s: DepthwiseSizes): Float32Array {
  const out = new Float32Array(s.filterH * s.filterW * s.channels);
  for (const { input, output, weight, c } of taps(s)) {
    out[weight] = addition(s, c)(x[input]!, dy[output]!, out[weight]!);
  }
  return out;
}

/** The last one to three channels are multiplied and added with two roundings. */
function addition({ channels }: DepthwiseSizes, c: number): typeof fused {
  return c < channels - (channels % 4) ? fused : rounded;
}

interface Tap {
  readonly input: number;
  readonly output: number;
  readonly weight: number;
  readonly c: number;
}

function* taps(s: DepthwiseSizes): Generator<Tap> {
  for (let image = 0; image < s.n; image++) {
    for (let oh = 0; oh < s.outHeight; oh++) {
      for (let ow = 0; ow < s.outWidth; ow++) {
        for (let kh = 0; kh < s.filterH; kh++) {
          const h = oh * s.strideH - s.top + kh * s.dilationH;
          if (h < 0 || h >= s.height) continue;
          for (let kw = 0; kw < s.filterW; kw++) {
            const w = ow * s.strideW - s.left + kw * s.dilationW;
            if (w < 0 || w >= s.width) continue;
            for (let c = 0; c < s.channels; c++) {
              yield {
                input: ((image * s.height + h) * s.width + w) * s.channels + c,
                output: ((image * s.outHeight + oh) * s.outWidth + ow) * s.channels + c,
                weight: (kh * s.filterW + kw) * s.channels + c,
                c,
              };
            }
          }
        }
      }
    }
  }
}
