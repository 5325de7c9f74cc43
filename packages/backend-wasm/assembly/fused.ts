// The start of the backward pass through a layer: the gradient of its activation, and that of its bias.
import { floats, masked, rows, smaller, splat } from './vector';

const BLOCK: i32 = 128;

/** dy times the slope of the activation, from its result y. The codes are those of src/kernels/fused-gradient.ts. */
// @ts-ignore: decorator
@inline
function slope(code: i32, dy: v128, y: v128): v128 {
  switch (code) {
    case 1: return masked(dy, y, f32x4.gt(y, splat(0)));
    case 2: return f32x4.mul(dy, f32x4.mul(y, f32x4.sub(splat(1), y)));
    case 3: return f32x4.mul(dy, f32x4.sub(splat(1), f32x4.mul(y, y)));
    case 4: return v128.bitselect(dy, f32x4.mul(dy, f32x4.add(y, splat(1))), f32x4.ge(y, splat(0)));
    case 5: return masked(dy, y, v128.and(f32x4.gt(y, splat(0)), f32x4.lt(y, splat(6))));
    default: return dy;
  }
}

// @ts-ignore: decorator
@inline
function each(code: i32, dy: usize, y: usize, dz: usize, bias: usize, height: i32, width: i32): void {
  const row = floats(width);
  if (bias) memory.fill(bias, 0, row);
  for (let r0 = 0; r0 < height; r0 += BLOCK) {
    const count = smaller(BLOCK, height - r0);
    let c = 0;
    for (; c + 8 <= width; c += 8) {
      let s0 = splat(0), s1 = splat(0), at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        let g0 = v128.load(dy + at), g1 = v128.load(dy + at, 16);
        if (code != 0) {
          g0 = slope(code, g0, v128.load(y + at));
          g1 = slope(code, g1, v128.load(y + at, 16));
          v128.store(dz + at, g0);
          v128.store(dz + at, g1, 16);
        }
        s0 = f32x4.add(s0, g0);
        s1 = f32x4.add(s1, g1);
      }
      if (bias) {
        v128.store(bias + floats(c), f32x4.add(v128.load(bias + floats(c)), s0));
        v128.store(bias + floats(c), f32x4.add(v128.load(bias + floats(c), 16), s1), 16);
      }
    }
    for (; c < width; c++) {
      let sum: f32 = 0, at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        let g = load<f32>(dy + at);
        if (code != 0) {
          g = f32x4.extract_lane(slope(code, splat(g), v128.load_splat<f32>(y + at)), 0);
          store<f32>(dz + at, g);
        }
        sum += g;
      }
      if (bias) store<f32>(bias + floats(c), load<f32>(bias + floats(c)) + sum);
    }
  }
}

/** dz[height, width] = dy times the slope at y, bias[width] = the sums of its columns. Code 0: only the sums. */
export function activationGradient(
  code: i32, dy: usize, y: usize, dz: usize, bias: usize, height: i32, width: i32,
): void {
  switch (code) {
    case 0: return each(0, dy, y, dz, bias, height, width);
    case 1: return each(1, dy, y, dz, bias, height, width);
    case 2: return each(2, dy, y, dz, bias, height, width);
    case 3: return each(3, dy, y, dz, bias, height, width);
    case 4: return each(4, dy, y, dz, bias, height, width);
    default: return each(5, dy, y, dz, bias, height, width);
  }
}
