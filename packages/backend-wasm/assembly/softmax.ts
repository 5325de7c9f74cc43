// Softmax over rows, and its gradient.
import { expOf, expOfOne } from './math';
import { floats, madd, splat, sumOf } from './vector';

export function softmax(x: usize, out: usize, height: i32, width: i32): void {
  for (let r = 0; r < height; r++, x += floats(width), out += floats(width)) {
    let most: f32 = -Infinity;
    for (let c = 0; c < width; c++) most = max<f32>(most, load<f32>(x + floats(c)));
    let sums = splat(0), rest: f32 = 0, c = 0;
    for (; c + 4 <= width; c += 4) {
      const e = expOf(f32x4.sub(v128.load(x + floats(c)), splat(most)));
      v128.store(out + floats(c), e);
      sums = f32x4.add(sums, e);
    }
    for (; c < width; c++) {
      const e = expOfOne(load<f32>(x + floats(c)) - most);
      store<f32>(out + floats(c), e);
      rest += e;
    }
    const total = rest + sumOf(sums);
    for (c = 0; c + 4 <= width; c += 4) v128.store(out + floats(c), f32x4.div(v128.load(out + floats(c)), splat(total)));
    for (; c < width; c++) store<f32>(out + floats(c), load<f32>(out + floats(c)) / total);
  }
}

/** dx = (dy - sum(dy * y)) * y */
export function softmaxGradient(dy: usize, y: usize, out: usize, height: i32, width: i32): void {
  for (let r = 0; r < height; r++, dy += floats(width), y += floats(width), out += floats(width)) {
    let sums = splat(0), rest: f32 = 0, c = 0;
    for (; c + 4 <= width; c += 4) sums = madd(v128.load(dy + floats(c)), v128.load(y + floats(c)), sums);
    for (; c < width; c++) rest += load<f32>(dy + floats(c)) * load<f32>(y + floats(c));
    const total = rest + sumOf(sums);
    for (c = 0; c + 4 <= width; c += 4) {
      const d = f32x4.sub(v128.load(dy + floats(c)), splat(total));
      v128.store(out + floats(c), f32x4.mul(d, v128.load(y + floats(c))));
    }
    for (; c < width; c++) {
      store<f32>(out + floats(c), (load<f32>(dy + floats(c)) - total) * load<f32>(y + floats(c)));
    }
  }
}
