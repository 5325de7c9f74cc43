// Softmax over rows, and its gradient.
import { expOf, expOfOne } from './math';
import { floats, madd, splat, sumOf } from './vector';

export function softmax(x: usize, out: usize, height: i32, width: i32): void {
  const row = floats(width);
  for (let r = 0; r < height; r++, x += row, out += row) softmaxRow(x, out, width, largestOf(x, width));
}

/** The largest of a row; NaN counts for nothing here, and shows in the sum instead. */
export function largestOf(x: usize, width: i32): f32 {
  let most = splat(-Infinity), more = most, rest: f32 = -Infinity, c = 0;
  for (; c + 8 <= width; c += 8, x += 32) {
    most = f32x4.pmax(most, v128.load(x));
    more = f32x4.pmax(more, v128.load(x, 16));
  }
  for (; c < width; c++, x += 4) {
    const value = load<f32>(x);
    if (value > rest) rest = value;
  }
  most = f32x4.pmax(most, more);
  most = f32x4.pmax(most, v128.shuffle<f32>(most, most, 2, 3, 0, 1));
  most = f32x4.pmax(most, v128.shuffle<f32>(most, most, 1, 0, 3, 2));
  const largest = f32x4.extract_lane(most, 0);
  return rest > largest ? rest : largest;
}

/** The softmax of a row whose largest is `most`. Gives the sum of exp(x - most), which is at least 1. */
export function softmaxRow(x: usize, out: usize, width: i32, most: f32): f32 {
  let sums = splat(0), rest: f32 = 0, c = 0;
  const largest = splat(most);
  for (; c + 4 <= width; c += 4) {
    const e = expOf(f32x4.sub(v128.load(x + floats(c)), largest));
    v128.store(out + floats(c), e);
    sums = f32x4.add(sums, e);
  }
  for (; c < width; c++) {
    const e = expOfOne(load<f32>(x + floats(c)) - most);
    store<f32>(out + floats(c), e);
    rest += e;
  }
  const total = rest + sumOf(sums), divisor = splat(total);
  for (c = 0; c + 4 <= width; c += 4) v128.store(out + floats(c), f32x4.div(v128.load(out + floats(c)), divisor));
  for (; c < width; c++) store<f32>(out + floats(c), load<f32>(out + floats(c)) / total);
  return total;
}

/** dx = (dy - sum(dy * y)) * y */
export function softmaxGradient(dy: usize, y: usize, out: usize, height: i32, width: i32): void {
  for (let r = 0; r < height; r++, dy += floats(width), y += floats(width), out += floats(width)) {
    let sums = splat(0), rest: f32 = 0, c = 0;
    for (; c + 4 <= width; c += 4) sums = madd(v128.load(dy + floats(c)), v128.load(y + floats(c)), sums);
    for (; c < width; c++) rest += load<f32>(dy + floats(c)) * load<f32>(y + floats(c));
    const total = rest + sumOf(sums), same = splat(total);
    for (c = 0; c + 4 <= width; c += 4) {
      const d = f32x4.sub(v128.load(dy + floats(c)), same);
      v128.store(out + floats(c), f32x4.mul(d, v128.load(y + floats(c))));
    }
    for (; c < width; c++) {
      store<f32>(out + floats(c), (load<f32>(dy + floats(c)) - total) * load<f32>(y + floats(c)));
    }
  }
}
