// Constants of the functions in math.ts, four times each, in the memory of the workspace. For a constant in the code V8
// needs three instructions wherever it is used, even in a loop; loading it takes one.

/** Where they are. */
export let constants: usize = 0;

/** A whole number of cache lines. */
export const CONSTANT_BYTES: i32 = 24 * 16;

export const ONE: usize = 0;
export const SIGN: usize = 1 * 16;

export const EXP_LOWEST: usize = 2 * 16;
export const EXP_HIGHEST: usize = 3 * 16;
export const LOG2_E: usize = 4 * 16;
export const LN2_HIGH: usize = 5 * 16;
export const LN2_LOW: usize = 6 * 16;
export const ROUNDER: usize = 7 * 16;
export const EXPONENT: usize = 8 * 16;
export const EXP_5: usize = 9 * 16;
export const EXP_4: usize = 10 * 16;
export const EXP_3: usize = 11 * 16;
export const EXP_2: usize = 12 * 16;
export const EXP_1: usize = 13 * 16;
export const EXP_0: usize = 14 * 16;

export const TANH_NEAR: usize = 15 * 16;
export const TANH_4: usize = 16 * 16;
export const TANH_3: usize = 17 * 16;
export const TANH_2: usize = 18 * 16;
export const TANH_1: usize = 19 * 16;
export const TANH_0: usize = 20 * 16;
export const EXP_OF_TANH: usize = 21 * 16;

export function useConstants(at: usize): void {
  constants = at;
  put(ONE, 1);
  v128.store(at + SIGN, i32x4.splat(0x80000000));
  // Below the first exp is 0, above the second infinity.
  put(EXP_LOWEST, -104);
  put(EXP_HIGHEST, 89);
  put(LOG2_E, 1.44269504088896341);
  put(LN2_HIGH, 0.693359375);
  put(LN2_LOW, 2.1219444e-4);
  // 1.5 * 2^23: what is added to it is rounded to a whole number, which is in the lowest bits of the sum.
  put(ROUNDER, 12582912);
  v128.store(at + EXPONENT, i32x4.splat(127));
  put(EXP_5, 1.98756915e-4);
  put(EXP_4, 1.3981999507e-3);
  put(EXP_3, 8.3334519073e-3);
  put(EXP_2, 4.1665795894e-2);
  put(EXP_1, 1.6666665459e-1);
  put(EXP_0, 5.0000001201e-1);
  put(TANH_NEAR, 0.625);
  put(EXP_OF_TANH, 40);
  put(TANH_4, -5.70498872745e-3);
  put(TANH_3, 2.06390887954e-2);
  put(TANH_2, -5.37397155531e-2);
  put(TANH_1, 1.33314422036e-1);
  put(TANH_0, -3.33332819422e-1);
}

function put(offset: usize, value: f32): void {
  v128.store(constants + offset, f32x4.splat(value));
}
