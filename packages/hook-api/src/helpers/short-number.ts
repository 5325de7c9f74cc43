/** Four significant digits, without trailing zeros. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
