// Functions of two operands that broadcast. The codes are those of src/module/operation-codes.ts.
import { floats, masked, splat } from './vector';

// @ts-ignore: decorator
@inline
function apply(code: i32, a: v128, b: v128): v128 {
  switch (code) {
    case 0: return f32x4.add(a, b);
    case 1: return f32x4.sub(a, b);
    case 2: return f32x4.mul(a, b);
    case 3: return f32x4.div(a, b);
    case 4: return f32x4.max(a, b);
    case 5: return f32x4.min(a, b);
    case 6: {
      const difference = f32x4.sub(a, b);
      return f32x4.mul(difference, difference);
    }
    // Prelu: b is the slope below zero.
    case 7: return v128.bitselect(f32x4.mul(a, b), a, f32x4.lt(a, splat(0)));
    // The gradient of relu: a where b is positive.
    case 8: return masked(a, b, f32x4.gt(b, splat(0)));
    // Of sigmoid, tanh and elu, from their results b.
    case 9: return f32x4.mul(a, f32x4.mul(b, f32x4.sub(splat(1), b)));
    case 10: return f32x4.mul(a, f32x4.sub(splat(1), f32x4.mul(b, b)));
    case 11: return v128.bitselect(a, f32x4.mul(a, f32x4.add(b, splat(1))), f32x4.ge(b, splat(0)));
    // Of relu6.
    default: return masked(a, b, v128.and(f32x4.gt(b, splat(0)), f32x4.lt(b, splat(6))));
  }
}

// @ts-ignore: decorator
@inline
function one(code: i32, a: usize, b: usize, out: usize): void {
  store<f32>(out, f32x4.extract_lane(apply(code, v128.load_splat<f32>(a), v128.load_splat<f32>(b)), 0));
}

// @ts-ignore: decorator
@inline
function each(
  code: i32, a: usize, b: usize, out: usize, n0: i32, n1: i32, n2: i32,
  a0: i32, a1: i32, a2: i32, b0: i32, b1: i32, b2: i32,
): void {
  for (let i = 0; i < n0; i++) {
    for (let j = 0; j < n1; j++) {
      let p = a + floats(i * a0 + j * a1), q = b + floats(i * b0 + j * b1), k = 0;
      if (a2 && b2) {
        for (; k + 4 <= n2; k += 4, p += 16, q += 16, out += 16) v128.store(out, apply(code, v128.load(p), v128.load(q)));
        for (; k < n2; k++, p += 4, q += 4, out += 4) one(code, p, q, out);
      } else if (a2) {
        const same = v128.load_splat<f32>(q);
        for (; k + 4 <= n2; k += 4, p += 16, out += 16) v128.store(out, apply(code, v128.load(p), same));
        for (; k < n2; k++, p += 4, out += 4) one(code, p, q, out);
      } else {
        const same = v128.load_splat<f32>(p);
        for (; k + 4 <= n2; k += 4, q += 16, out += 16) v128.store(out, apply(code, same, v128.load(q)));
        for (; k < n2; k++, q += 4, out += 4) one(code, p, q, out);
      }
    }
  }
}

/** out[n0, n1, n2] = f(a, b). Steps are in floats, 0 along what an operand is broadcast; a2 and b2 are 0 or 1. */
export function binary(
  code: i32, a: usize, b: usize, out: usize, n0: i32, n1: i32, n2: i32,
  a0: i32, a1: i32, a2: i32, b0: i32, b1: i32, b2: i32,
): void {
  switch (code) {
    case 0: return each(0, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 1: return each(1, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 2: return each(2, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 3: return each(3, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 4: return each(4, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 5: return each(5, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 6: return each(6, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 7: return each(7, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 8: return each(8, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 9: return each(9, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 10: return each(10, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 11: return each(11, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    default: return each(12, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
  }
}
