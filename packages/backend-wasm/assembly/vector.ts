// Small pieces of vector code that everything else is made of.

/** a * b + c. One rounding in the variant with FMA, two in the plain one. */
// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(c, f32x4.mul(a, b));
}

/** The bytes that n floats take. */
// @ts-ignore: decorator
@inline
export function floats(n: i32): usize {
  return (<usize>n) << 2;
}

/** n rows of `row` bytes. */
// @ts-ignore: decorator
@inline
export function rows(n: i32, row: usize): usize {
  return (<usize>n) * row;
}

// @ts-ignore: decorator
@inline
export function splat(x: f32): v128 {
  return f32x4.splat(x);
}

// @ts-ignore: decorator
@inline
export function sumOf(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

// @ts-ignore: decorator
@inline
export function smaller(a: i32, b: i32): i32 {
  return a < b ? a : b;
}

// @ts-ignore: decorator
@inline
export function larger(a: i32, b: i32): i32 {
  return a > b ? a : b;
}

/** Zero where x is negative. NaN stays NaN, which f32x4.pmax and the clamp of XNNPACK turn into 0. */
// @ts-ignore: decorator
@inline
export function reluOf(x: v128): v128 {
  return v128.andnot(x, f32x4.lt(x, splat(0)));
}

/** dy where the mask is set and 0 elsewhere, but NaN where y is: what broke in the forward pass shows in the gradient. */
// @ts-ignore: decorator
@inline
export function masked(dy: v128, y: v128, mask: v128): v128 {
  return v128.or(v128.and(dy, mask), f32x4.ne(y, y));
}

// @ts-ignore: decorator
@inline
export function reluOfOne(x: f32): f32 {
  return x < 0 ? 0 : x;
}

/** Transposes 4 rows of 4 floats to `out`, `out + step`, ... */
// @ts-ignore: decorator
@inline
export function transpose4(r0: v128, r1: v128, r2: v128, r3: v128, out: usize, step: usize): void {
  const a = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
  const b = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
  const c = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
  const d = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<f32>(a, b, 0, 1, 4, 5));
  v128.store(out + step, v128.shuffle<f32>(a, b, 2, 3, 6, 7));
  v128.store(out + 2 * step, v128.shuffle<f32>(c, d, 0, 1, 4, 5));
  v128.store(out + 3 * step, v128.shuffle<f32>(c, d, 2, 3, 6, 7));
}
