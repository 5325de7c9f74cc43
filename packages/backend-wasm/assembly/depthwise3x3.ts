// The usual depthwise filter, 3 x 3: its nine weights of four channels stay in registers while a row is gone through.
import { floats, madd, reluOf, reluOfOne, rows, splat } from './vector';

/**
 * y[n, outHeight, outWidth, channels] from padded images. With `turned` the filter is reversed, as for the gradient of
 * the input.
 */
export function depthwise3x3(
  x: usize, filter: usize, y: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  strideH: i32, strideW: i32, dilationH: i32, dilationW: i32, bias: usize, relu: bool, turned: bool,
): void {
  const pixel = floats(channels), across = rows(dilationW, pixel), down = rows(dilationH * width, pixel);
  const step = rows(strideW, pixel);
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      const from = x + rows((image * height + oh * strideH) * width, pixel);
      let c = 0;
      for (; c + 4 <= channels; c += 4) {
        row4(from + floats(c), filter + floats(c), y + floats(c), outWidth, pixel, step, across, down, bias ? bias + floats(c) : 0, relu, turned);
      }
      for (; c < channels; c++) {
        row1(from + floats(c), filter + floats(c), y + floats(c), outWidth, pixel, step, across, down, bias ? bias + floats(c) : 0, relu, turned);
      }
      y += rows(outWidth, pixel);
    }
  }
}

// @ts-ignore: decorator
@inline
function tap(filter: usize, pixel: usize, index: i32, turned: bool): usize {
  return filter + rows(turned ? 8 - index : index, pixel);
}

function row4(
  x: usize, filter: usize, y: usize, count: i32, pixel: usize, step: usize, across: usize, down: usize,
  bias: usize, relu: bool, turned: bool,
): void {
  const w0 = v128.load(tap(filter, pixel, 0, turned)), w1 = v128.load(tap(filter, pixel, 1, turned));
  const w2 = v128.load(tap(filter, pixel, 2, turned)), w3 = v128.load(tap(filter, pixel, 3, turned));
  const w4 = v128.load(tap(filter, pixel, 4, turned)), w5 = v128.load(tap(filter, pixel, 5, turned));
  const w6 = v128.load(tap(filter, pixel, 6, turned)), w7 = v128.load(tap(filter, pixel, 7, turned));
  const w8 = v128.load(tap(filter, pixel, 8, turned));
  const start = bias ? v128.load(bias) : splat(0), wide = across + across;
  for (let i = 0; i < count; i++, x += step, y += pixel) {
    const middle = x + down, last = middle + down;
    let sum = madd(v128.load(x), w0, start);
    sum = madd(v128.load(x + across), w1, sum);
    sum = madd(v128.load(x + wide), w2, sum);
    sum = madd(v128.load(middle), w3, sum);
    sum = madd(v128.load(middle + across), w4, sum);
    sum = madd(v128.load(middle + wide), w5, sum);
    sum = madd(v128.load(last), w6, sum);
    sum = madd(v128.load(last + across), w7, sum);
    sum = madd(v128.load(last + wide), w8, sum);
    v128.store(y, relu ? reluOf(sum) : sum);
  }
}

function row1(
  x: usize, filter: usize, y: usize, count: i32, pixel: usize, step: usize, across: usize, down: usize,
  bias: usize, relu: bool, turned: bool,
): void {
  for (let i = 0; i < count; i++, x += step, y += pixel) {
    let sum: f32 = bias ? load<f32>(bias) : 0;
    for (let kh = 0; kh < 3; kh++) {
      for (let kw = 0; kw < 3; kw++) {
        sum += load<f32>(x + rows(kh, down) + rows(kw, across)) * load<f32>(tap(filter, pixel, kh * 3 + kw, turned));
      }
    }
    store<f32>(y, relu ? reluOfOne(sum) : sum);
  }
}
