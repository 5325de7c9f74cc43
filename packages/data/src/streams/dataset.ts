/** What `tf.data` calls a dataset, by shape, so that tfjs-data need not be installed. */
export interface Dataset<Item = unknown> {
  iterator(): Promise<{ next(): Promise<IteratorResult<Item>> }>;
  forEachAsync(use: (item: Item) => void): Promise<void>;
  /** The number of elements; null where it is unknown. */
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

/** How many elements it has, where that is known. */
export function sizeOfDataset(source: unknown): number | undefined {
  const size = isDataset(source) ? source.size : undefined;
  return Number.isFinite(size) ? (size as number) : undefined;
}
