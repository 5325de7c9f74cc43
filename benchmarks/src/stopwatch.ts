/** Items in an array that notes how long a loop over them takes. */
export interface Stopwatch<Item> {
  items: Item[];
  /** Of the latest whole loop, from taking the first item to asking for one after the last. */
  milliseconds(): number;
}

/** Times the steps of a loop that belongs to somebody else, without what it does before and after. */
export function stopwatch<Item>(source: readonly Item[]): Stopwatch<Item> {
  let latest = Number.NaN;
  const items = [...source];
  items[Symbol.iterator] = function* () {
    const start = performance.now();
    yield* source;
    latest = performance.now() - start;
  } as Item[][typeof Symbol.iterator];
  return { items, milliseconds: () => latest };
}
