import { expect, test } from 'vitest';
import { Message } from '../../src/tensorboard/message.js';
import { fieldsOf, textOf } from './decode-events.js';

const doubles = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 8 }, (_, i) => view.getFloat64(8 * i, true));
};

test('whole numbers of any size come back', () => {
  for (const value of [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]) {
    const [field] = fieldsOf(new Message().uint(2, value).finish());
    expect(field).toMatchObject({ number: 2, varint: BigInt(value) });
  }
});

test('texts come back, in any script, and longer than the first buffer', () => {
  for (const text of ['', 'loss', '損失 🚀', 'x'.repeat(10_000)]) {
    const [field] = fieldsOf(new Message().text(1, text).finish());
    expect(textOf(field!.bytes)).toBe(text);
  }
});

test('packed numbers come back to the bit, NaN and infinities too', () => {
  const values = [0.1, -0, Number.NaN, Infinity, -Infinity, 5e-324];
  const [field] = fieldsOf(new Message().doubles(7, values).finish());
  expect(doubles(field!.bytes)).toEqual(values);
});

test('a message inside a message keeps its fields in order', () => {
  const inner = new Message().uint(1, 1).bool(2, true).bool(3, false);
  const [outer] = fieldsOf(new Message().message(15, inner).finish());
  expect(outer!.number).toBe(15);
  expect(fieldsOf(outer!.bytes).map(({ number, varint }) => [number, varint])).toEqual([
    [1, 1n],
    [2, 1n],
    [3, 0n],
  ]);
});

test('a field number above 15 takes a longer key', () => {
  const [field] = fieldsOf(new Message().uint(200, 3).finish());
  expect(field).toMatchObject({ number: 200, varint: 3n });
});
