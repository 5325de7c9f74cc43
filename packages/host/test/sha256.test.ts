import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as browser from '../src/browser/sha256.js';
import * as node from '../src/host/node.js';
import { bytesOf } from './support/expecting.js';

describe.each([
  ['the browser half', browser.createSha256],
  ['the half of Node', node.createSha256],
])('SHA-256 of %s', (_half, createSha256) => {
  // NIST, "Examples with Intermediate Values", and FIPS 180-4.
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    [
      'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
    ],
  ])('of the standard: "%s"', (text, expected) => {
    expect(createSha256().update(text).digest()).toBe(expected);
  });

  test('of a million letters, in pieces that never fit a block', () => {
    const sum = createSha256();
    const piece = 'a'.repeat(997);
    for (let at = 0; at < 1_000_000; at += 997) sum.update(piece.slice(0, Math.min(997, 1_000_000 - at)));
    expect(sum.digest()).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
  });

  test('at every length around the ends of blocks, byte by byte', () => {
    for (const length of [55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129]) {
      const sum = createSha256();
      for (const byte of bytesOf(length)) sum.update(Uint8Array.of(byte));
      expect(sum.digest(), `${length} bytes`).toBe(
        createHash('sha256').update(bytesOf(length)).digest('hex'),
      );
    }
  });

  test('of a part of a larger memory, and of nothing in between', () => {
    const sum = createSha256()
      .update(bytesOf(300).subarray(50, 250))
      .update('')
      .update(new Uint8Array())
      .update('é');
    const expected = createHash('sha256').update(bytesOf(300).subarray(50, 250)).update('é').digest('hex');
    expect(sum.digest()).toBe(expected);
  });

  test('two at once do not disturb each other', () => {
    const [one, other] = [createSha256().update('a'), createSha256().update('x')];
    one.update('bc');
    other.update('yz');
    expect(one.digest()).toBe(createHash('sha256').update('abc').digest('hex'));
    expect(other.digest()).toBe(createHash('sha256').update('xyz').digest('hex'));
  });
});
