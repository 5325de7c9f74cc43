/** ` (looked from a and b)`, for messages about what was not found. */
export function lookedFrom({ looked }: { readonly looked: readonly string[] }): string {
  return looked.length > 1 ? ` (looked from ${looked.join(' and ')})` : '';
}
