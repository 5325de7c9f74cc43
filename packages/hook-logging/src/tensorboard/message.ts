const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const encoder = new TextEncoder();

/** Writes one protobuf message, field by field. */
export class Message {
  #bytes: Uint8Array = new Uint8Array(64);
  #view: DataView = new DataView(this.#bytes.buffer);
  #length = 0;

  /** A whole number from 0 to 2^53; also for enums. */
  uint(field: number, value: number): this {
    this.#key(field, VARINT);
    this.#varint(value);
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.uint(field, value ? 1 : 0);
  }

  double(field: number, value: number): this {
    this.#key(field, FIXED64);
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
    return this;
  }

  float(field: number, value: number): this {
    this.#key(field, FIXED32);
    this.#reserve(4);
    this.#view.setFloat32(this.#length, value, true);
    this.#length += 4;
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#key(field, BYTES);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.finish());
  }

  /** Packed, as repeated numbers are. */
  doubles(field: number, values: readonly number[]): this {
    const packed = new DataView(new ArrayBuffer(8 * values.length));
    for (const [index, value] of values.entries()) packed.setFloat64(8 * index, value, true);
    return this.bytes(field, new Uint8Array(packed.buffer));
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #key(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  /** Seven bits a byte, lowest first. Division, not shifts: shifts know 32 bits only. */
  #varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
