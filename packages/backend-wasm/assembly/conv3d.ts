// Volumes [n, depth, height, width, channels] as rows of patches, for convolutions that are then products of matrices.
import { floats, rows } from './vector';

/**
 * Rows first .. first + count of the matrix whose rows are patches, [kernel depth * height * width * channels] each.
 * With `back` the rows are added to the volume instead.
 */
export function patches3d(
  volume: usize, matrix: usize, first: i32, count: i32, depth: i32, height: i32, width: i32, channels: i32,
  outDepth: i32, outHeight: i32, outWidth: i32, kernelD: i32, kernelH: i32, kernelW: i32,
  strideD: i32, strideH: i32, strideW: i32, dilationD: i32, dilationH: i32, dilationW: i32,
  front: i32, top: i32, left: i32, back: bool,
): void {
  const pixel = floats(channels);
  for (let r = first; r < first + count; r++) {
    const ow = r % outWidth, oh = (r / outWidth) % outHeight;
    const od = (r / (outWidth * outHeight)) % outDepth, image = r / (outWidth * outHeight * outDepth);
    for (let kd = 0; kd < kernelD; kd++) {
      const d = od * strideD - front + kd * dilationD;
      for (let kh = 0; kh < kernelH; kh++) {
        const h = oh * strideH - top + kh * dilationH;
        for (let kw = 0; kw < kernelW; kw++, matrix += pixel) {
          const w = ow * strideW - left + kw * dilationW;
          const inside = d >= 0 && d < depth && h >= 0 && h < height && w >= 0 && w < width;
          const at = volume + rows(((image * depth + d) * height + h) * width + w, pixel);
          if (!back) {
            if (inside) memory.copy(matrix, at, pixel);
            else memory.fill(matrix, 0, pixel);
          } else if (inside) {
            addTo(at, matrix, channels);
          }
        }
      }
    }
  }
}

function addTo(to: usize, from: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4, to += 16, from += 16) v128.store(to, f32x4.add(v128.load(to), v128.load(from)));
  for (; i < count; i++, to += 4, from += 4) store<f32>(to, load<f32>(to) + load<f32>(from));
}
