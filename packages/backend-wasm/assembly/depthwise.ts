// Convolutions with a separate filter for each channel. For every pixel the taps that count are listed once;
// then all channels are summed over that list, four at a time.
import { floats, madd, smaller, splat } from './vector';
import { places } from './workspace';

/** y[n, outHeight, outWidth, channels] from x[n, height, width, channels] and filter[filterH, filterW, channels]. */
export function depthwise(
  x: usize, filter: usize, y: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  filterH: i32, filterW: i32, strideH: i32, strideW: i32, dilationH: i32, dilationW: i32, top: i32, left: i32,
  bias: usize, relu: bool,
): void {
  const pixel = floats(channels);
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      for (let ow = 0; ow < outWidth; ow++, y += pixel) {
        let count = 0;
        for (let kh = 0; kh < filterH; kh++) {
          const h = oh * strideH - top + kh * dilationH;
          if (h < 0 || h >= height) continue;
          for (let kw = 0; kw < filterW; kw++) {
            const w = ow * strideW - left + kw * dilationW;
            if (w < 0 || w >= width) continue;
            place(count++, x + floats(((image * height + h) * width + w) * channels), filter + floats((kh * filterW + kw) * channels));
          }
        }
        sumPlaces(count, y, channels, bias, relu);
      }
    }
  }
}

/** The gradient of x: for each of its pixels the taps through which it reached y. */
export function depthwiseInputGradient(
  dy: usize, filter: usize, dx: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  filterH: i32, filterW: i32, strideH: i32, strideW: i32, dilationH: i32, dilationW: i32, top: i32, left: i32,
): void {
  const pixel = floats(channels);
  for (let image = 0; image < n; image++) {
    for (let h = 0; h < height; h++) {
      for (let w = 0; w < width; w++, dx += pixel) {
        let count = 0;
        for (let kh = 0; kh < filterH; kh++) {
          const scaledH = h + top - kh * dilationH;
          if (scaledH < 0 || scaledH % strideH != 0 || scaledH / strideH >= outHeight) continue;
          const row = (image * outHeight + scaledH / strideH) * outWidth;
          for (let kw = 0; kw < filterW; kw++) {
            const scaledW = w + left - kw * dilationW;
            if (scaledW < 0 || scaledW % strideW != 0 || scaledW / strideW >= outWidth) continue;
            place(count++, dy + floats((row + scaledW / strideW) * channels), filter + floats((kh * filterW + kw) * channels));
          }
        }
        sumPlaces(count, dx, channels, 0, false);
      }
    }
  }
}

/** The gradient of the filter: x times dy, summed over the pixels that each tap met. */
export function depthwiseFilterGradient(
  x: usize, dy: usize, out: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  filterH: i32, filterW: i32, strideH: i32, strideW: i32, dilationH: i32, dilationW: i32, top: i32, left: i32,
): void {
  memory.fill(out, 0, floats(filterH * filterW * channels));
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      for (let kh = 0; kh < filterH; kh++) {
        const h = oh * strideH - top + kh * dilationH;
        if (h < 0 || h >= height) continue;
        for (let kw = 0; kw < filterW; kw++) {
          const shift = kw * dilationW - left;
          const first = shift >= 0 ? 0 : (strideW - 1 - shift) / strideW;
          const end = shift >= width ? 0 : smaller(outWidth, (width - 1 - shift) / strideW + 1);
          if (end <= first) continue;
          addProducts(
            x + floats(((image * height + h) * width + first * strideW + shift) * channels), floats(strideW * channels),
            dy + floats(((image * outHeight + oh) * outWidth + first) * channels),
            out + floats((kh * filterW + kw) * channels), end - first, channels,
          );
        }
      }
    }
  }
}

/** Each channel `times` times in a row: a depthwise filter with several outputs per channel becomes one with one. */
export function repeatChannels(x: usize, out: usize, pixels: i32, channels: i32, times: i32): void {
  for (let i = 0; i < pixels * channels; i++, x += 4) {
    const value = load<f32>(x);
    for (let t = 0; t < times; t++, out += 4) store<f32>(out, value);
  }
}

/** The opposite of repeating, for gradients: sums of `times` neighbours. */
export function sumRepeated(x: usize, out: usize, count: i32, times: i32): void {
  for (let i = 0; i < count; i++, out += 4) {
    let sum: f32 = 0;
    for (let t = 0; t < times; t++, x += 4) sum += load<f32>(x);
    store<f32>(out, sum);
  }
}

// @ts-ignore: decorator
@inline
function place(index: i32, value: usize, weight: usize): void {
  store<u32>(places + ((<usize>index) << 3), <u32>value);
  store<u32>(places + ((<usize>index) << 3), <u32>weight, 4);
}

function sumPlaces(count: i32, out: usize, channels: i32, bias: usize, relu: bool): void {
  const end = places + ((<usize>count) << 3);
  let c = 0;
  for (; c + 4 <= channels; c += 4) {
    const shift = floats(c);
    let sum = bias ? v128.load(bias + shift) : splat(0);
    for (let at = places; at < end; at += 8) {
      sum = madd(v128.load(<usize>load<u32>(at) + shift), v128.load(<usize>load<u32>(at, 4) + shift), sum);
    }
    if (relu) sum = v128.andnot(sum, f32x4.lt(sum, splat(0)));
    v128.store(out + shift, sum);
  }
  for (; c < channels; c++) {
    const shift = floats(c);
    let sum: f32 = bias ? load<f32>(bias + shift) : 0;
    for (let at = places; at < end; at += 8) {
      sum += load<f32>(<usize>load<u32>(at) + shift) * load<f32>(<usize>load<u32>(at, 4) + shift);
    }
    store<f32>(out + shift, relu && sum < 0 ? 0 : sum);
  }
}

function addProducts(x: usize, stepX: usize, dy: usize, out: usize, count: i32, channels: i32): void {
  const stepDy = floats(channels);
  let c = 0;
  for (; c + 4 <= channels; c += 4) {
    let p = x + floats(c), q = dy + floats(c), sum = v128.load(out + floats(c));
    for (let i = 0; i < count; i++, p += stepX, q += stepDy) sum = madd(v128.load(p), v128.load(q), sum);
    v128.store(out + floats(c), sum);
  }
  for (; c < channels; c++) {
    let p = x + floats(c), q = dy + floats(c), sum = load<f32>(out + floats(c));
    for (let i = 0; i < count; i++, p += stepX, q += stepDy) sum += load<f32>(p) * load<f32>(q);
    store<f32>(out + floats(c), sum);
  }
}
