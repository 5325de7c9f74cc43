const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const [LOW, HIGH] = new Uint32Array(new Float64Array([1]).buffer)[1] === 0x3ff00000 ? [0, 1] : [1, 0];

/**
 * a * b + c with one rounding, as FMA has it, for numbers of 32 bits. Their product is exact in 64. What their sum loses
 * there is kept in its last bit (it is made odd), so that rounding to 32 bits sees on which side of a half it was.
 */
export function fused(a: number, b: number, c: number): number {
  const product = a * b;
  const sum = product + c;
  if (!Number.isFinite(sum)) return Math.fround(sum);
  const part = sum - product;
  const lost = product - (sum - part) + (c - part);
  if (lost === 0) return Math.fround(sum);
  double[0] = sum;
  if ((words[LOW]! & 1) === 0) {
    if (lost > 0 === sum > 0) words[LOW]! += 1;
    else if (words[LOW]! === 0) [words[LOW], words[HIGH]] = [0xffffffff, words[HIGH]! - 1];
    else words[LOW]! -= 1;
  }
  return Math.fround(double[0]);
}

/** a * b + c with two roundings. */
export function rounded(a: number, b: number, c: number): number {
  return Math.fround(Math.fround(a * b) + c);
}
