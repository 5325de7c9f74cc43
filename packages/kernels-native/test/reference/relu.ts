/** NaN stays NaN and -0 stays -0, which Math.max would change. */
export function relu(x: number): number {
  if (x < 0) return 0;
  return x;
}
