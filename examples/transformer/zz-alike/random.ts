/** Numbers from 0 to 1: the same ones for the same seed and purpose, others for another purpose (mulberry32). */
export function randomFrom(seed: number, purpose: string): () => number {
  let state = [...purpose].reduce((mixed, letter) => scrambled(mixed ^ letter.codePointAt(0)!), seed >>> 0);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    return scrambled(state) / 2 ** 32;
  };
}

function scrambled(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

/** The same items in another order (Fisher and Yates). */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1));
    [mixed[last], mixed[chosen]] = [mixed[chosen]!, mixed[last]!];
  }
  return mixed;
}
