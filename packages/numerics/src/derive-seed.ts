/** An independent seed for one purpose, such as the order of one epoch. */
export function deriveSeed(seed: number, ...keys: (string | number)[]): number {
  return keys.flatMap(toNumbers).reduce((mixed, key) => {
    let h = Math.imul(mixed ^ (key + 0x9e3779b9), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  }, seed >>> 0);
}

/** Text starts with its length, so that `ab`, `c` and `a`, `bc` differ. */
function toNumbers(key: string | number): number[] {
  if (typeof key === 'number') return [key];
  return [key.length, ...Array.from(key, (_, index) => key.charCodeAt(index))];
}
