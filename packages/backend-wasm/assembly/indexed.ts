// Rows that are picked, or added up, by their numbers.
import { floats, rows } from './vector';

/**
 * out[outer, n, inner] = x[outer, index, inner] for n indices; elements of 4 bytes. Gives the position of the first
 * index that is not in range, or -1.
 */
export function gather(x: usize, indices: usize, out: usize, outer: i32, axis: i32, n: i32, inner: i32): i32 {
  const bytes = floats(inner);
  for (let i = 0; i < n; i++) if (load<u32>(indices + floats(i)) >= <u32>axis) return i;
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < n; i++, out += bytes) {
      const from = x + rows(load<i32>(indices + floats(i)), bytes);
      if (inner == 1) store<u32>(out, load<u32>(from));
      else memory.copy(out, from, bytes);
    }
    x += rows(axis, bytes);
  }
  return -1;
}

/** out[segments, inner]: each row of x is added to the one that its segment says. Other segments are left out. */
export function segmentSum(x: usize, segment: usize, out: usize, n: i32, inner: i32, segments: i32): void {
  memory.fill(out, 0, floats(segments * inner));
  for (let i = 0; i < n; i++) {
    const s = load<u32>(segment + floats(i));
    if (s >= <u32>segments) continue;
    let to = out + rows(s, floats(inner)), from = x + rows(i, floats(inner)), j = 0;
    for (; j + 4 <= inner; j += 4, to += 16, from += 16) v128.store(to, f32x4.add(v128.load(to), v128.load(from)));
    for (; j < inner; j++, to += 4, from += 4) store<f32>(to, load<f32>(to) + load<f32>(from));
  }
}
