import type { Arithmetic } from './arithmetic.js';

/** Arithmetic on plain arrays of one length, whose results are valid until `reuse()`. */
export interface ArrayArithmetic extends Arithmetic<Float32Array> {
  /** Hands its arrays out again: what the last update has computed must have been copied. */
  reuse(): void;
}

/** The longest arrays that are kept. */
const KEPT_LENGTH = 4096;

/**
 * Plain loops with the bits of the cpu backend, where most of a small network's step is the overhead of the optimizer's
 * operations. Each operation has its own loop, which the compiler can inline; one loop with a callback is slower. The
 * arrays of small parameters are kept from step to step, because making one takes longer than filling it; large ones would
 * only hold memory.
 */
export function arrayArithmetic(length: number): ArrayArithmetic {
  const arrays: Float32Array[] = [];
  let used = 0;
  const result = () => {
    if (length > KEPT_LENGTH) return new Float32Array(length);
    const known = arrays[used] ?? new Float32Array(length);
    arrays[used++] = known;
    return known;
  };
  return {
    reuse: () => {
      used = 0;
    },
    add: (a, b) => {
      const sum = result();
      for (let i = 0; i < length; i++) sum[i] = a[i]! + b[i]!;
      return sum;
    },
    sub: (a, b) => {
      const difference = result();
      for (let i = 0; i < length; i++) difference[i] = a[i]! - b[i]!;
      return difference;
    },
    div: (a, b) => {
      const quotient = result();
      for (let i = 0; i < length; i++) quotient[i] = a[i]! / b[i]!;
      return quotient;
    },
    mul: (a, b) => {
      const product = result();
      for (let i = 0; i < length; i++) product[i] = a[i]! * b[i]!;
      return product;
    },
    blend: (mean, next, kept) => {
      const blend = result();
      const old = Math.fround(kept);
      const fresh = Math.fround(1 - kept);
      for (let i = 0; i < length; i++) blend[i] = Math.fround(mean[i]! * old) + Math.fround(next[i]! * fresh);
      return blend;
    },
    scale: (a, factor) => {
      const product = result();
      const rounded = Math.fround(factor);
      for (let i = 0; i < length; i++) product[i] = a[i]! * rounded;
      return product;
    },
    shift: (a, offset) => {
      const sum = result();
      const rounded = Math.fround(offset);
      for (let i = 0; i < length; i++) sum[i] = a[i]! + rounded;
      return sum;
    },
    sqrt: (a) => {
      const root = result();
      for (let i = 0; i < length; i++) root[i] = Math.sqrt(a[i]!);
      return root;
    },
    sign: (a) => {
      const sign = result();
      for (let i = 0; i < length; i++) sign[i] = a[i]! > 0 ? 1 : a[i]! < 0 ? -1 : 0;
      return sign;
    },
    relu: (a) => {
      const positive = result();
      for (let i = 0; i < length; i++) positive[i] = Math.max(0, a[i]!);
      return positive;
    },
  };
}
