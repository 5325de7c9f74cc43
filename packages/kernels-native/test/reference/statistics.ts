/** As the module sums: so many sums side by side, and what is left over one by one. */
export function sumOf(terms: readonly number[], sums: 8 | 16): number {
  const whole = terms.length - (terms.length % sums);
  const side = (first: number) => {
    let sum = 0;
    for (let i = first; i < whole; i += sums) sum += terms[i]!;
    return sum;
  };
  // Vectors of four are added first, then the halves, then the two numbers that are left.
  const column = (first: number) =>
    sums === 8
      ? side(first) + side(first + 4)
      : side(first) + side(first + 8) + (side(first + 4) + side(first + 12));
  let total = column(0) + column(2) + (column(1) + column(3));
  for (const term of terms.slice(whole)) total += term;
  return total;
}

/** The seven numbers of a tensor. */
export function statistics(numbers: readonly number[]): number[] {
  const all = sumOf(
    numbers.map((x) => x * x),
    8,
  );
  const finite = numbers.filter(Number.isFinite);
  // Where a number is not finite, the others are added one by one.
  const add = (terms: readonly number[]) =>
    Number.isFinite(all) ? sumOf(terms, 8) : terms.reduce((sum, term) => sum + term, 0);
  const [squares, sum] = [add(finite.map((x) => x * x)), add(finite)];
  const zeros = finite.filter((x) => x === 0).length;
  const ends = [Math.min(...finite) + 0, Math.max(...finite) + 0];
  return [all, finite.length, zeros, ...ends, sum, deviations(finite, squares, sum)];
}

function deviations(finite: readonly number[], squares: number, sum: number): number {
  if (finite.length === 0) return 0;
  const mean = sum / finite.length;
  const rest = squares - mean * sum;
  if (rest > squares * 0.01) return rest;
  return finite.reduce((total, x) => total + (x - mean) * (x - mean), 0);
}
