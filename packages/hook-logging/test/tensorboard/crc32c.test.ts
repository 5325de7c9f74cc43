import { expect, test } from 'vitest';
import { crc32c } from '../../src/tensorboard/crc32c.js';
import { slowCrc32c } from './decode-events.js';

const bytes = (text: string) => new TextEncoder().encode(text);

test('the checksum is that of the published vectors', () => {
  expect(crc32c(bytes('123456789'))).toBe(0xe3069283);
  // RFC 3720, B.4
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  expect(crc32c(new Uint8Array())).toBe(0);
});

test('any data has the checksum that a computation bit by bit gives', () => {
  for (let length = 1; length < 300; length += 7) {
    const data = Uint8Array.from({ length }, (_, i) => (i * 131 + length) % 256);
    expect(crc32c(data)).toBe(slowCrc32c(data));
  }
});
