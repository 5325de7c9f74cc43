type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * A loop does not call `return()` on an iterator whose `next()` throws: it assumes that it is closed. An iterator that
 * was written by hand may still hold a file, so here it is called.
 */
export function closedOnFailure<Item>(stream: Source<Item>): Source<Item> {
  // Arrays have nothing to close, and generators close themselves.
  if (Array.isArray(stream) || 'throw' in stream) return stream;
  return Symbol.asyncIterator in stream ? asyncClosed(stream) : syncClosed(stream);
}

function asyncClosed<Item>(stream: AsyncIterable<Item>): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = stream[Symbol.asyncIterator]();
      const close = async () => (await iterator.return?.()) ?? END;
      return {
        next: async () => {
          try {
            return await iterator.next();
          } catch (error) {
            await close().catch(() => {}); // the first error counts
            throw error;
          }
        },
        return: close,
      };
    },
  };
}

function syncClosed<Item>(stream: Iterable<Item>): Iterable<Item> {
  return {
    [Symbol.iterator]: () => {
      const iterator = stream[Symbol.iterator]();
      const close = () => iterator.return?.() ?? END;
      return {
        next: () => {
          try {
            return iterator.next();
          } catch (error) {
            try {
              close();
            } catch {} // the first error counts
            throw error;
          }
        },
        return: close,
      };
    },
  };
}

const END = { value: undefined, done: true } as const;
