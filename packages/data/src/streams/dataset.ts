/** What `tf.data` calls a dataset, by shape: that package need not be there. */
export interface Dataset<Item = unknown> {
  iterator(): Promise<{ next(): Promise<IteratorResult<Item>> }>;
  forEachAsync(use: (item: Item) => void): Promise<void>;
  /** Elements; null where it cannot tell. */
  readonly size?: number | null;
}

export function isDataset(source: unknown): source is Dataset {
  const { iterator, forEachAsync } = Object(source) as Partial<Dataset>;
  return typeof iterator === 'function' && typeof forEachAsync === 'function';
}

export async function* readDataset<Item>(dataset: Dataset<Item>): AsyncGenerator<Item, void> {
  const iterator = await dataset.iterator();
  for (;;) {
    const { value, done } = await iterator.next();
    if (done) return;
    yield value;
  }
}

/** How many elements it has, where it can tell. */
export function sizeOfDataset(source: unknown): number | undefined {
  const size = isDataset(source) ? source.size : undefined;
  return Number.isFinite(size) ? (size as number) : undefined;
}
