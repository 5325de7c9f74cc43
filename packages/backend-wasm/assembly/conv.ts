// Convolutions of images [n, height, width, channels], without im2col: in an image that is padded once, a patch is a
// few runs of contiguous floats, which are read where they are.
import { packColumns, packRows } from './pack';
import { finishTile } from './tile';
import { floats, larger, madd, rows, smaller, splat } from './vector';
import { PIXELS, pixelTable } from './workspace';

/**
 * Copies images into padded ones: pixel (h, w) goes to (h * spreadH + top, w * spreadW + left), everything else is
 * zero. With a spread above 1 zeros come between the pixels, which the gradient of a strided convolution needs.
 */
export function padImages(
  x: usize, out: usize, n: i32, height: i32, width: i32, channels: i32, outHeight: i32, outWidth: i32,
  top: i32, left: i32, spreadH: i32, spreadW: i32,
): void {
  const row = floats(width * channels), outRow = floats(outWidth * channels), pixel = floats(channels);
  memory.fill(out, 0, outRow * <usize>outHeight * <usize>n);
  for (let image = 0; image < n; image++) {
    for (let h = 0; h < height; h++, x += row) {
      const toH = h * spreadH + top;
      if (toH < 0 || toH >= outHeight) continue;
      const to = out + rows(image * outHeight + toH, outRow);
      if (spreadW == 1) {
        const from = larger(0, -left), end = smaller(width, outWidth - left);
        if (end > from) {
          memory.copy(to + floats((from + left) * channels), x + floats(from * channels), floats((end - from) * channels));
        }
      } else {
        for (let w = 0; w < width; w++) {
          const toW = w * spreadW + left;
          if (toW >= 0 && toW < outWidth) memory.copy(to + floats(toW * channels), x + rows(w, pixel), pixel);
        }
      }
    }
  }
}

/** A filter [depth, filters] as panels of 8 filters. */
export function packFilter(filter: usize, out: usize, depth: i32, filters: i32): void {
  for (let j = 0; j < filters; j += 8) {
    packRows(filter + floats(j), floats(filters), smaller(8, filters - j), depth, out + floats(j * depth), 8);
  }
}

/**
 * A filter [taps, channels, filters] for the gradient of the input: the taps in reverse, filters and channels
 * exchanged, as panels of 8 channels.
 */
export function packFilterReversed(filter: usize, out: usize, taps: i32, channels: i32, filters: i32): void {
  const depth = taps * filters;
  for (let c = 0; c < channels; c += 8) {
    const count = smaller(8, channels - c);
    for (let tap = taps - 1; tap >= 0; tap--) {
      const to = out + floats(c * depth + (taps - 1 - tap) * filters * 8);
      packColumns(filter + floats((tap * channels + c) * filters), floats(filters), count, filters, to, 8);
    }
  }
}

/** y[n, outHeight, outWidth, filters] from padded images and a packed filter. */
export function conv(
  x: usize, filter: usize, y: usize, n: i32, height: i32, width: i32, channels: i32,
  outHeight: i32, outWidth: i32, filters: i32, filterH: i32, filterW: i32, strideH: i32, strideW: i32,
  dilationH: i32, dilationW: i32, bias: usize, relu: bool,
): void {
  const depth = filterH * filterW * channels, row = floats(filters);
  // Without dilation the taps of a row lie side by side: one run.
  const runs = dilationW == 1 ? 1 : filterW, run = floats(depth / (filterH * runs));
  const runGap: usize = dilationW == 1 ? 0 : floats(dilationW * channels) - run;
  const rowGap = floats(dilationH * width * channels) - rows(runs, run + runGap);
  const total = n * outHeight * outWidth;
  let image = 0, oh = 0, ow = 0;
  for (let p0 = 0; p0 < total; p0 += PIXELS) {
    const count = smaller(PIXELS, total - p0);
    for (let i = 0; i < count; i++) {
      const at = x + floats(((image * height + oh * strideH) * width + ow * strideW) * channels);
      store<u32>(pixelTable + floats(i), <u32>at);
      if (++ow == outWidth) {
        ow = 0;
        if (++oh == outHeight) {
          oh = 0;
          image++;
        }
      }
    }
    // A tile has 4 pixels: the last one again where there are fewer.
    for (let i = count; i < PIXELS && (i & 3) != 0; i++) {
      store<u32>(pixelTable + floats(i), load<u32>(pixelTable + floats(count - 1)));
    }
    for (let j = 0; j < filters; j += 8) {
      const panel = filter + floats(j * depth), columns = smaller(8, filters - j);
      for (let i = 0; i < count; i += 4) {
        const at = pixelTable + floats(i);
        convTile(
          load<u32>(at), load<u32>(at, 4), load<u32>(at, 8), load<u32>(at, 12), panel, filterH, runs, run, runGap,
          rowGap, y + rows(p0 + i, row) + floats(j), row, smaller(4, count - i), columns, bias ? bias + floats(j) : 0, relu,
        );
      }
    }
  }
}

/** 4 patches x 8 filters. */
function convTile(
  x0: usize, x1: usize, x2: usize, x3: usize, filter: usize, filterH: i32, runs: i32, run: usize, runGap: usize,
  rowGap: usize, out: usize, row: usize, rowCount: i32, columnCount: i32, bias: usize, relu: bool,
): void {
  let c00 = splat(0), c01 = splat(0), c10 = splat(0), c11 = splat(0);
  let c20 = splat(0), c21 = splat(0), c30 = splat(0), c31 = splat(0);
  do {
    let left = runs;
    do {
      const end = x0 + run;
      do {
        const b0 = v128.load(filter), b1 = v128.load(filter, 16);
        const a0 = v128.load_splat<f32>(x0); c00 = madd(a0, b0, c00); c01 = madd(a0, b1, c01);
        const a1 = v128.load_splat<f32>(x1); c10 = madd(a1, b0, c10); c11 = madd(a1, b1, c11);
        const a2 = v128.load_splat<f32>(x2); c20 = madd(a2, b0, c20); c21 = madd(a2, b1, c21);
        const a3 = v128.load_splat<f32>(x3); c30 = madd(a3, b0, c30); c31 = madd(a3, b1, c31);
        x0 += 4; x1 += 4; x2 += 4; x3 += 4;
        filter += 32;
      } while (x0 < end);
      x0 += runGap; x1 += runGap; x2 += runGap; x3 += runGap;
    } while (--left > 0);
    x0 += rowGap; x1 += rowGap; x2 += rowGap; x3 += rowGap;
  } while (--filterH > 0);
  finishTile(c00, c01, c10, c11, c20, c21, c30, c31, out, row, rowCount, columnCount, false, bias, relu);
}

/** The gradient of the filter [filterH, filterW, channels, filters]: patches times dy, summed over all pixels. */
export function convFilterGradient(
  x: usize, dy: usize, out: usize, n: i32, height: i32, width: i32, channels: i32,
  outHeight: i32, outWidth: i32, filters: i32, filterH: i32, filterW: i32, strideH: i32, strideW: i32,
  dilationH: i32, dilationW: i32,
): void {
  convFilterGradientPart(
    x, dy, out, n, height, width, channels, outHeight, outWidth, filters, filterH, filterW, strideH, strideW,
    dilationH, dilationW, 0, i32.MAX_VALUE,
  );
}

/**
 * The tiles `first` to `end` of that gradient: each is 4 neighbouring taps x 8 filters. A row of the filter has
 * filterW * channels taps, or, where they are dilated, filterW times `channels` of them.
 */
export function convFilterGradientPart(
  x: usize, dy: usize, out: usize, n: i32, height: i32, width: i32, channels: i32,
  outHeight: i32, outWidth: i32, filters: i32, filterH: i32, filterW: i32, strideH: i32, strideW: i32,
  dilationH: i32, dilationW: i32, first: i32, end: i32,
): void {
  const row = floats(filters), runs = dilationW == 1 ? 1 : filterW, run = filterW * channels / runs;
  const across = (filters + 7) >> 3, along = (run + 3) >> 2, tiles = filterH * runs * along * across;
  // Some 256 pixels at a time: they stay in the cache while all taps pass over them.
  const band = larger(1, smaller(outHeight, 256 / outWidth));
  const stepX = floats(strideW * channels), rowGap = floats(strideH * width * channels) - stepX * <usize>outWidth;
  end = smaller(end, tiles);
  let add = false;
  for (let image = 0; image < n; image++) {
    for (let h = 0; h < outHeight; h += band) {
      const count = smaller(band, outHeight - h), from = dy + floats((image * outHeight + h) * outWidth * filters);
      for (let tile = first; tile < end; tile++) {
        const j = tile % across * 8, rest = tile / across, k = rest % along * 4, place = rest / along;
        const kh = place / runs, kw = place % runs;
        const pixel = (image * height + h * strideH + kh * dilationH) * width + kw * dilationW;
        filterTile(
          x + floats(pixel * channels + k), from + floats(j), count, outWidth, stepX, rowGap, row,
          out + floats((place * run + k) * filters + j), smaller(4, run - k), smaller(8, filters - j), add,
        );
      }
      add = true;
    }
  }
}

/** 4 neighbouring taps x 8 filters, summed over a band of pixels. */
function filterTile(
  x: usize, dy: usize, height: i32, width: i32, stepX: usize, rowGap: usize, row: usize, out: usize,
  rowCount: i32, columnCount: i32, add: bool,
): void {
  let c00 = splat(0), c01 = splat(0), c10 = splat(0), c11 = splat(0);
  let c20 = splat(0), c21 = splat(0), c30 = splat(0), c31 = splat(0);
  const rowOfDy = row * <usize>width;
  do {
    const end = dy + rowOfDy;
    do {
      const b0 = v128.load(dy), b1 = v128.load(dy, 16);
      const a0 = v128.load_splat<f32>(x); c00 = madd(a0, b0, c00); c01 = madd(a0, b1, c01);
      const a1 = v128.load_splat<f32>(x, 4); c10 = madd(a1, b0, c10); c11 = madd(a1, b1, c11);
      const a2 = v128.load_splat<f32>(x, 8); c20 = madd(a2, b0, c20); c21 = madd(a2, b1, c21);
      const a3 = v128.load_splat<f32>(x, 12); c30 = madd(a3, b0, c30); c31 = madd(a3, b1, c31);
      x += stepX;
      dy += row;
    } while (dy < end);
    x += rowGap;
  } while (--height > 0);
  finishTile(c00, c01, c10, c11, c20, c21, c30, c31, out, row, rowCount, columnCount, add, 0, false);
}
