/**
 * So many of the cases that a test could try, spread over all of them, or all in a proof: `npm run proof` also runs every
 * test file that calls this.
 */
export function someOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (process.env.HOOKLINE_EVERY_CASE || count >= cases.length) return cases;
  return Array.from({ length: count }, (_, i) => cases[Math.round((i * cases.length) / count)]!);
}
