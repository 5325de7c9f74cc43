import { samplePositions } from '@hookline/numerics';
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
    hash.addNumber(values.length);
    const positions = positionsIn(values.length);
    if (positions) for (const position of positions) hash.addNumber(values[position]!);
    else for (const value of values) hash.addNumber(value);
  }
  return hash.text;
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
