/**
 * Samples of 3 numbers, and what a model is to make of them. Not those of the shared test helpers: they would bring
 * the test runner into the bundle.
 */
export function samples(count: number, seed = 1): { xs: number[][]; ys: number[][] } {
  let state = seed * 2654435761;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 2 - 1;
  };
  const xs = Array.from({ length: count }, () => [next(), next(), next()]);
  return { xs, ys: xs.map(([a, b, c]) => [Math.sin(a! + 2 * b!) - 0.5 * c!]) };
}
