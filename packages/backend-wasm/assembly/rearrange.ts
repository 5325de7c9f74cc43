// Elements of 4 bytes that go to other places.
import { floats, rows, transpose4 } from './vector';

/**
 * Copies [n0, n1, n2, n3]; each axis has a step, in elements, on either side. A step of 0 repeats, a negative one
 * reverses.
 */
export function copyStrided(
  from: usize, to: usize, n0: i32, n1: i32, n2: i32, n3: i32,
  f0: i32, f1: i32, f2: i32, f3: i32, t0: i32, t1: i32, t2: i32, t3: i32,
): void {
  for (let i = 0; i < n0; i++) {
    for (let j = 0; j < n1; j++) {
      for (let k = 0; k < n2; k++) {
        let p = from + floats(i * f0 + j * f1 + k * f2), q = to + floats(i * t0 + j * t1 + k * t2), l = 0;
        if (t3 == 1) {
          if (f3 == 1) {
            if (n3 >= 16) {
              memory.copy(q, p, floats(n3));
              continue;
            }
            for (; l + 4 <= n3; l += 4, p += 16, q += 16) v128.store(q, v128.load(p));
          } else if (f3 == 0) {
            const same = v128.load32_splat(p);
            for (; l + 4 <= n3; l += 4, q += 16) v128.store(q, same);
          }
        }
        for (; l < n3; l++, p += floats(f3), q += floats(t3)) store<u32>(q, load<u32>(p));
      }
    }
  }
}

/** [batch, height, width] -> [batch, width, height]. */
export function transpose(x: usize, out: usize, batch: i32, height: i32, width: i32): void {
  const row = floats(width), outRow = floats(height);
  for (let b = 0; b < batch; b++) {
    let r = 0;
    for (; r + 4 <= height; r += 4) {
      let p = x + rows(r, row), q = out + floats(r), c = 0;
      for (; c + 4 <= width; c += 4, p += 16, q += outRow << 2) {
        transpose4(v128.load(p), v128.load(p + row), v128.load(p + 2 * row), v128.load(p + 3 * row), q, outRow);
      }
      for (; c < width; c++, p += 4, q += outRow) {
        store<u32>(q, load<u32>(p));
        store<u32>(q, load<u32>(p + row), 4);
        store<u32>(q, load<u32>(p + 2 * row), 8);
        store<u32>(q, load<u32>(p + 3 * row), 12);
      }
    }
    for (; r < height; r++) {
      for (let c = 0; c < width; c++) store<u32>(out + floats(c * height + r), load<u32>(x + floats(r * width + c)));
    }
    x += floats(height * width);
    out += floats(height * width);
  }
}

/** Elements of 4 bytes that all have the same bits. */
export function fill(out: usize, n: i32, bits: u32): void {
  const same = i32x4.splat(bits);
  let i = 0;
  for (; i + 4 <= n; i += 4, out += 16) v128.store(out, same);
  for (; i < n; i++, out += 4) store<u32>(out, bits);
}
