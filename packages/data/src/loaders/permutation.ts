import { RandomGenerator } from '@hookline/numerics';

/** Enough rounds for every order of a handful of samples to be equally likely. */
const ROUNDS = 8;

/** A smaller domain has too few possible networks to give every order. */
const MIN_BITS = 6;

/**
 * A shuffled order of `count` numbers, computed on demand: only the keys are stored, however much data there is, and
 * reading can start anywhere. A Feistel network mixes the numbers below a power of two; a number beyond `count` goes
 * through it again until it is not (cycle walking), so that each number comes once.
 */
export function permutation(count: number, seed: number): (index: number) => number {
  const random = new RandomGenerator(seed);
  const keys = Int32Array.from({ length: ROUNDS }, () => Math.floor(random.next() * 2 ** 32));
  const bits = Math.max(MIN_BITS, Math.ceil(Math.log2(count)));
  const half = bits >> 1;
  return (index) => {
    let value = index;
    do {
      let right = half;
      let left = bits - half;
      for (let round = 0; round < ROUNDS; round++) {
        const low = value & ((1 << right) - 1);
        value = (low << left) | (((value >>> right) ^ hash(low ^ keys[round]!)) & ((1 << left) - 1));
        [left, right] = [right, left];
      }
    } while (value >= count);
    return value;
  };
}

/** The finalizer of murmur3, without its first shift: the keys have mixed the high bits in. */
function hash(value: number): number {
  let h = Math.imul(value, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
