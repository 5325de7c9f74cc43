import type { HooklineError } from '@hookline/hook-api';
import { dataError, noBatch } from '../errors.js';
import { closedOnFailure } from './closed-on-failure.js';
import { type Dataset, isDataset, readDataset } from './dataset.js';

/** A sequence of items. */
export type Stream<Item> = Iterable<Item> | AsyncIterable<Item> | Dataset<Item>;

/** A stream, or a function that starts one for each epoch. */
export type StreamSource<Item> = Stream<Item> | ((epoch: number) => Stream<Item>);

export function isStreamSource(source: unknown): source is StreamSource<unknown> {
  return typeof source === 'function' || isStream(source);
}

export function openStream<Item>(
  source: StreamSource<Item>,
  name: string,
  epoch: number,
): Iterable<Item> | AsyncIterable<Item> {
  const stream = typeof source === 'function' ? source(epoch) : source;
  if (isDataset(stream)) return readDataset(stream as Dataset<Item>);
  if (isStream(stream)) return closedOnFailure(stream as Iterable<Item> | AsyncIterable<Item>);
  const given =
    typeof (stream as Partial<Promise<unknown>> | null)?.then === 'function' ? 'a promise' : typeof stream;
  throw dataError(
    'BAD_DATA',
    `The function of loader "${name}" returned ${given}, expected something to iterate over. Make it a generator: function* () { ... } or async function* () { ... }.`,
  );
}

export function isAsync<Item>(stream: Iterable<Item> | AsyncIterable<Item>): stream is AsyncIterable<Item> {
  return Symbol.asyncIterator in stream;
}

/** The error for a stream that ended before it gave anything. */
export function nothingIn(source: StreamSource<unknown>, name: string): HooklineError {
  const hint =
    'next' in source
      ? ' An iterator can be read only once: for several epochs or runs, give a function that starts a new one each time.'
      : '';
  return noBatch(name, hint);
}

function isStream(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return false;
  return Symbol.iterator in source || Symbol.asyncIterator in source || isDataset(source);
}
