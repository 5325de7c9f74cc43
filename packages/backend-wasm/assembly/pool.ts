// Pooling of images [n, height, width, channels] and of volumes, which have a depth: images have one of 1.
import { floats, larger, rows, smaller, splat } from './vector';

/** The largest of each window. */
export function maxPool(
  x: usize, y: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  filterH: i32, filterW: i32, strideH: i32, strideW: i32, top: i32, left: i32,
): void {
  const pixel = floats(channels), row = floats(width * channels);
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      const h0 = larger(0, oh * strideH - top), h1 = smaller(height, oh * strideH - top + filterH);
      for (let ow = 0; ow < outWidth; ow++, y += pixel) {
        const w0 = larger(0, ow * strideW - left), w1 = smaller(width, ow * strideW - left + filterW);
        maxOfWindow(x + rows((image * height + h0) * width + w0, pixel), y, h1 - h0, w1 - w0, channels, pixel, row);
      }
    }
  }
}

function maxOfWindow(x: usize, y: usize, height: i32, width: i32, channels: i32, pixel: usize, row: usize): void {
  let c = 0;
  if (height == 2 && width == 2) {
    for (; c + 4 <= channels; c += 4) {
      const p = x + floats(c), q = p + row;
      const above = f32x4.max(v128.load(p), v128.load(p + pixel)), below = f32x4.max(v128.load(q), v128.load(q + pixel));
      v128.store(y + floats(c), f32x4.max(above, below));
    }
  }
  for (; c + 4 <= channels; c += 4) {
    let most = splat(-Infinity), line = x + floats(c);
    for (let h = 0; h < height; h++, line += row) {
      let p = line;
      for (let w = 0; w < width; w++, p += pixel) most = f32x4.max(most, v128.load(p));
    }
    v128.store(y + floats(c), most);
  }
  for (; c < channels; c++) {
    let most: f32 = -Infinity, line = x + floats(c);
    for (let h = 0; h < height; h++, line += row) {
      let p = line;
      for (let w = 0; w < width; w++, p += pixel) most = max<f32>(most, load<f32>(p));
    }
    store<f32>(y + floats(c), most);
  }
}

/** The gradient goes to the first element of the window that equals its maximum y, as on cpu. */
export function maxPoolGradient(
  dy: usize, x: usize, y: usize, dx: usize, n: i32, height: i32, width: i32, channels: i32,
  outHeight: i32, outWidth: i32, filterH: i32, filterW: i32, strideH: i32, strideW: i32, top: i32, left: i32,
): void {
  const pixel = floats(channels), row = floats(width * channels);
  const inPairs = filterH == 2 && filterW == 2 && strideH == 2 && strideW == 2 && top == 0 && left == 0
    && outHeight * 2 == height && outWidth * 2 == width && (channels & 3) == 0;
  if (!inPairs) memory.fill(dx, 0, row * <usize>(n * height));
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      const h0 = larger(0, oh * strideH - top), h1 = smaller(height, oh * strideH - top + filterH);
      for (let ow = 0; ow < outWidth; ow++, y += pixel, dy += pixel) {
        const w0 = larger(0, ow * strideW - left), w1 = smaller(width, ow * strideW - left + filterW);
        const shift = rows((image * height + h0) * width + w0, pixel);
        if (inPairs) pairsToFirst(dy, x + shift, y, dx + shift, channels, pixel, row);
        else addToFirst(dy, x + shift, y, dx + shift, h1 - h0, w1 - w0, channels, pixel, row);
      }
    }
  }
}

/** Windows of 2 x 2 that touch but do not overlap: every element is written once. */
function pairsToFirst(dy: usize, x: usize, y: usize, dx: usize, channels: i32, pixel: usize, row: usize): void {
  for (let c = 0; c < channels; c += 4) {
    const most = v128.load(y), gradient = v128.load(dy);
    const is0 = f32x4.eq(v128.load(x), most);
    const is1 = v128.andnot(f32x4.eq(v128.load(x + pixel), most), is0);
    let found = v128.or(is0, is1);
    const is2 = v128.andnot(f32x4.eq(v128.load(x + row), most), found);
    found = v128.or(found, is2);
    const is3 = v128.andnot(f32x4.eq(v128.load(x + row + pixel), most), found);
    v128.store(dx, v128.and(gradient, is0));
    v128.store(dx + pixel, v128.and(gradient, is1));
    v128.store(dx + row, v128.and(gradient, is2));
    v128.store(dx + row + pixel, v128.and(gradient, is3));
    x += 16; dx += 16; y += 16; dy += 16;
  }
}

function addToFirst(
  dy: usize, x: usize, y: usize, dx: usize, height: i32, width: i32, channels: i32, pixel: usize, row: usize,
): void {
  for (let c = 0; c < channels; c++) {
    const most = load<f32>(y + floats(c));
    let line = floats(c), found = false;
    for (let h = 0; h < height && !found; h++, line += row) {
      let at = line;
      for (let w = 0; w < width; w++, at += pixel) {
        if (load<f32>(x + at) != most) continue;
        store<f32>(dx + at, load<f32>(dx + at) + load<f32>(dy + floats(c)));
        found = true;
        break;
      }
    }
  }
}

/** The mean over the elements of the window that are inside the image. */
export function averagePool(
  x: usize, y: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  filterH: i32, filterW: i32, strideH: i32, strideW: i32, top: i32, left: i32,
): void {
  const pixel = floats(channels), row = floats(width * channels);
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      const h0 = larger(0, oh * strideH - top), h1 = smaller(height, oh * strideH - top + filterH);
      for (let ow = 0; ow < outWidth; ow++, y += pixel) {
        const w0 = larger(0, ow * strideW - left), w1 = smaller(width, ow * strideW - left + filterW);
        const from = x + rows((image * height + h0) * width + w0, pixel);
        const share: f32 = <f32>1 / <f32>((h1 - h0) * (w1 - w0));
        let c = 0;
        for (; c + 4 <= channels; c += 4) {
          let sum = splat(0), line = from + floats(c);
          for (let h = h0; h < h1; h++, line += row) {
            let p = line;
            for (let w = w0; w < w1; w++, p += pixel) sum = f32x4.add(sum, v128.load(p));
          }
          v128.store(y + floats(c), f32x4.mul(sum, splat(share)));
        }
        for (; c < channels; c++) {
          let sum: f32 = 0, line = from + floats(c);
          for (let h = h0; h < h1; h++, line += row) {
            let p = line;
            for (let w = w0; w < w1; w++, p += pixel) sum += load<f32>(p);
          }
          store<f32>(y + floats(c), sum * share);
        }
      }
    }
  }
}

/** Each element of a window gets `share` of its gradient. */
export function averagePoolGradient(
  dy: usize, dx: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  filterH: i32, filterW: i32, strideH: i32, strideW: i32, top: i32, left: i32, share: f32,
): void {
  const pixel = floats(channels), row = floats(width * channels);
  memory.fill(dx, 0, row * <usize>(n * height));
  for (let image = 0; image < n; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      const h0 = larger(0, oh * strideH - top), h1 = smaller(height, oh * strideH - top + filterH);
      for (let ow = 0; ow < outWidth; ow++, dy += pixel) {
        const w0 = larger(0, ow * strideW - left), w1 = smaller(width, ow * strideW - left + filterW);
        const to = dx + rows((image * height + h0) * width + w0, pixel);
        let c = 0;
        for (; c + 4 <= channels; c += 4) {
          const part = f32x4.mul(v128.load(dy + floats(c)), splat(share));
          let line = to + floats(c);
          for (let h = h0; h < h1; h++, line += row) {
            let p = line;
            for (let w = w0; w < w1; w++, p += pixel) v128.store(p, f32x4.add(v128.load(p), part));
          }
        }
        for (; c < channels; c++) {
          const part = load<f32>(dy + floats(c)) * share;
          let line = to + floats(c);
          for (let h = h0; h < h1; h++, line += row) {
            let p = line;
            for (let w = w0; w < w1; w++, p += pixel) store<f32>(p, load<f32>(p) + part);
          }
        }
      }
    }
  }
}
