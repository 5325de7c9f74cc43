/** Addresses of so many operands behind one another, each of so many floats. */
export function placed(arena: number, sizes: readonly number[]): number[] {
  let at = arena;
  return sizes.map((floats) => {
    const address = at;
    at += Math.ceil(floats / 16) * 64;
    return address;
  });
}
