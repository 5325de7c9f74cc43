// Pooling of volumes [n, depth, height, width, channels], and of images when the place of the maximum is asked for.
import { floats, larger, rows, smaller } from './vector';

/**
 * The largest of each window. `positions`, when given, gets where it was: the index in the whole tensor, or in its
 * image when `inImage`. With `dy` and `dx` nothing is written to y; the gradient is added where the maximum is.
 */
export function maxPool3d(
  x: usize, y: usize, positions: usize, inImage: bool, dy: usize, dx: usize,
  n: i32, depth: i32, height: i32, width: i32, channels: i32, outDepth: i32, outHeight: i32, outWidth: i32,
  filterD: i32, filterH: i32, filterW: i32, strideD: i32, strideH: i32, strideW: i32, front: i32, top: i32, left: i32,
): void {
  const image = depth * height * width * channels;
  if (dx) memory.fill(dx, 0, rows(n, floats(image)));
  let out: usize = 0;
  for (let b = 0; b < n; b++) {
    for (let od = 0; od < outDepth; od++) {
      const d0 = larger(0, od * strideD - front), d1 = smaller(depth, od * strideD - front + filterD);
      for (let oh = 0; oh < outHeight; oh++) {
        const h0 = larger(0, oh * strideH - top), h1 = smaller(height, oh * strideH - top + filterH);
        for (let ow = 0; ow < outWidth; ow++) {
          const w0 = larger(0, ow * strideW - left), w1 = smaller(width, ow * strideW - left + filterW);
          for (let c = 0; c < channels; c++, out += 4) {
            let most: f32 = -Infinity, where = -1;
            for (let d = d0; d < d1; d++) {
              for (let h = h0; h < h1; h++) {
                for (let w = w0; w < w1; w++) {
                  const at = ((d * height + h) * width + w) * channels + c;
                  const value = load<f32>(x + floats(b * image + at));
                  if (value > most || (value != value && most == most)) {
                    most = value;
                    where = at;
                  }
                }
              }
            }
            if (y) store<f32>(y + out, most);
            if (positions) store<i32>(positions + out, where < 0 || inImage ? where : b * image + where);
            if (dx && where >= 0) {
              const to = dx + floats(b * image + where);
              store<f32>(to, load<f32>(to) + load<f32>(dy + out));
            }
          }
        }
      }
    }
  }
}
