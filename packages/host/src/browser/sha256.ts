import type { Sha256 } from '../contract.js';

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4).
const ROUNDS = roundsOf(64);
const BLOCK = 64;

/** SHA-256 in pieces, which the Web Crypto API cannot do. */
export function createSha256(): Sha256 {
  const state = startOf();
  const rest = new Uint8Array(BLOCK);
  const words = new Int32Array(64);
  let kept = 0;
  let total = 0;

  const add = (bytes: Uint8Array): void => {
    total += bytes.length;
    let at = 0;
    if (kept > 0) {
      at = Math.min(BLOCK - kept, bytes.length);
      rest.set(bytes.subarray(0, at), kept);
      kept += at;
      if (kept < BLOCK) return;
      compress(state, words, rest, 0);
      kept = 0;
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) compress(state, words, bytes, at);
    rest.set(bytes.subarray(at));
    kept = bytes.length - at;
  };

  const sum: Sha256 = {
    update: (data) => {
      add(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return sum;
    },
    digest: () => {
      const bits = total * 8;
      const padding = new Uint8Array((kept < 56 ? 56 : 120) - kept + 8);
      padding[0] = 0x80;
      const view = new DataView(padding.buffer);
      view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
      view.setUint32(padding.length - 4, bits >>> 0);
      add(padding);
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
  return sum;
}

function compress(state: Int32Array, words: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const from = at + i * 4;
    words[i] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15]!, words[i - 2]!];
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const large = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = (words[i - 16]! + small + words[i - 7]! + large) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + ROUNDS[i]! + words[i]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

type Eight = [number, number, number, number, number, number, number, number];

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The square roots of the first eight primes, in the same way. */
function startOf(): Int32Array {
  return Int32Array.from(primes(8), (prime) => fraction(prime ** (1 / 2)));
}

function roundsOf(count: number): Int32Array {
  return Int32Array.from(primes(count), (prime) => fraction(Math.cbrt(prime)));
}

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let each = 2; found.length < count; each++) {
    if (found.every((prime) => each % prime !== 0)) found.push(each);
  }
  return found;
}
