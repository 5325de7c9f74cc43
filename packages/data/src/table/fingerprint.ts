import { isTensor, nearValues, samplePositions } from '@hookline/numerics';
import type { Rows } from './table.js';

const positionsIn = samplePositions();

/**
 * A short text that is the same for the same data: every column with its path, type and size, and some of its values.
 * Values on a device are not read for it.
 */
export function fingerprintOf({ columns, count }: Rows): string {
  const hash = new Hash();
  hash.addNumber(count);
  for (const [path, samples] of columns) {
    hash.addText(path);
    const values = samples.hostValues();
    if (!values) continue;
    hash.addText(values.constructor.name);
    addValues(hash, values);
  }
  return hash.text;
}

/** Of so many items of a list, at places spread over all of it, and at most so many parts of each. */
const [ITEMS, PARTS] = [64, 4096];

/**
 * The same for batches or samples in an array: their number, and what is in some of them. Nothing where values are on a
 * device.
 */
export function dataIn(items: readonly unknown[]): { data?: string } {
  const hash = new Hash();
  hash.addNumber(items.length);
  const stride = Math.max(1, items.length / ITEMS);
  for (let place = 0; place < items.length; place += stride) {
    if (!addItem(hash, items[Math.floor(place)], { left: PARTS })) return {};
  }
  return { data: hash.text };
}

/** Whether all of it could be read. */
function addItem(hash: Hash, item: unknown, parts: { left: number }): boolean {
  if (parts.left-- <= 0) return true;
  if (isTensor(item)) {
    if (item.isDisposed) return false; // reported when the batch is read
    hash.addText(`[${item.shape}]`);
    const values = nearValues(item);
    if (values) addValues(hash, values);
    return values !== undefined;
  }
  if (ArrayBuffer.isView(item) && 'length' in item) {
    addValues(hash, item as unknown as ArrayLike<number>);
    return true;
  }
  if (typeof item !== 'object' || item === null) {
    hash.addText(String(item));
    return true;
  }
  // Anything else than lists and plain objects, such as a decoder with its buffers, counts by its fields as well.
  return Object.entries(item).every(([name, value]) => {
    hash.addText(name);
    return typeof value === 'function' || addItem(hash, value, parts);
  });
}

function addValues(hash: Hash, values: ArrayLike<number>): void {
  hash.addNumber(values.length);
  const positions = positionsIn(values.length);
  if (positions) for (const position of positions) hash.addNumber(values[position]!);
  else for (let index = 0; index < values.length; index++) hash.addNumber(values[index]!);
}

/** FNV-1a over the bits of numbers: small, and good enough to tell data sets apart. */
class Hash {
  #state = 0x811c9dc5;
  readonly #bits = new DataView(new ArrayBuffer(8));

  addNumber(value: number): void {
    this.#bits.setFloat64(0, value);
    for (let byte = 0; byte < 8; byte++) this.#add(this.#bits.getUint8(byte));
  }

  addText(text: string): void {
    for (let index = 0; index < text.length; index++) this.#add(text.charCodeAt(index));
    this.#add(0);
  }

  get text(): string {
    return (this.#state >>> 0).toString(16).padStart(8, '0');
  }

  #add(value: number): void {
    this.#state = Math.imul(this.#state ^ value, 0x01000193);
  }
}
