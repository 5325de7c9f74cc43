// Panels: the layout in which the tile loops read their operands, [depth][width], padded with zeros.
import { floats, rows, transpose4 } from './vector';

/** `depth` rows of which `count` columns are valid. */
export function packRows(from: usize, row: usize, count: i32, depth: i32, out: usize, width: i32): void {
  if (count == 12 && width == 12) {
    for (let k = 0; k < depth; k++) {
      v128.store(out, v128.load(from));
      v128.store(out, v128.load(from, 16), 16);
      v128.store(out, v128.load(from, 32), 32);
      from += row;
      out += 48;
    }
  } else if (count == 8 && width == 8) {
    for (let k = 0; k < depth; k++) {
      v128.store(out, v128.load(from));
      v128.store(out, v128.load(from, 16), 16);
      from += row;
      out += 32;
    }
  } else if (count == 4 && width == 4) {
    for (let k = 0; k < depth; k++) {
      v128.store(out, v128.load(from));
      from += row;
      out += 16;
    }
  } else {
    for (let k = 0; k < depth; k++) {
      for (let j = 0; j < width; j++) {
        store<f32>(out + floats(j), j < count ? load<f32>(from + floats(j)) : 0);
      }
      from += row;
      out += floats(width);
    }
  }
}

/** `width` rows of length `depth`, of which `count` are valid, become columns. */
export function packColumns(from: usize, row: usize, count: i32, depth: i32, out: usize, width: i32): void {
  const step = floats(width);
  for (let r = 0; r < width; r += 4) {
    let p = from + rows(r, row), o = out + floats(r), k = 0;
    if (r + 4 <= count) {
      for (; k + 4 <= depth; k += 4) {
        transpose4(v128.load(p), v128.load(p + row), v128.load(p + 2 * row), v128.load(p + 3 * row), o, step);
        p += 16;
        o += step << 2;
      }
      for (; k < depth; k++) {
        store<f32>(o, load<f32>(p));
        store<f32>(o, load<f32>(p + row), 4);
        store<f32>(o, load<f32>(p + 2 * row), 8);
        store<f32>(o, load<f32>(p + 3 * row), 12);
        p += 4;
        o += step;
      }
    } else {
      for (; k < depth; k++) {
        for (let i = 0; i < 4; i++) {
          store<f32>(o + floats(i), r + i < count ? load<f32>(p + rows(i, row)) : 0);
        }
        p += 4;
        o += step;
      }
    }
  }
}

/** [depth, height] becomes `height` rows of length `depth`, `step` bytes apart. */
export function packTransposed(from: usize, row: usize, depth: i32, height: i32, out: usize, step: usize): void {
  let k = 0;
  for (; k + 4 <= depth; k += 4, from += row << 2, out += 16) {
    let p = from, o = out, i = 0;
    for (; i + 4 <= height; i += 4, p += 16, o += step << 2) {
      transpose4(v128.load(p), v128.load(p + row), v128.load(p + 2 * row), v128.load(p + 3 * row), o, step);
    }
    for (; i < height; i++, p += 4, o += step) {
      store<f32>(o, load<f32>(p));
      store<f32>(o, load<f32>(p + row), 4);
      store<f32>(o, load<f32>(p + 2 * row), 8);
      store<f32>(o, load<f32>(p + 3 * row), 12);
    }
  }
  for (; k < depth; k++, from += row, out += 4) {
    let p = from, o = out;
    for (let i = 0; i < height; i++, p += 4, o += step) store<f32>(o, load<f32>(p));
  }
}
