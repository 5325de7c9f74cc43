import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { SharedValues, sharedBytes } from '../../../src/host/ranks/shared-values.js';
import { meetings } from '../../support/rank-sockets.js';

const BUCKET = 2 ** 18;

/** Sums of these values, by rank, after one call on each of them for each length. */
async function sums(world: number, lengths: readonly number[]): Promise<Float32Array[][]> {
  const file = join(tempFolder(), 'values');
  writeFileSync(file, '');
  truncateSync(file, sharedBytes(world));
  const { hub, spokes } = await meetings(world);
  return Promise.all(
    [hub, ...spokes].map(async (meeting) => {
      const shared = new SharedValues(file, meeting);
      const all: Float32Array[] = [];
      for (const length of lengths) {
        const values = Float32Array.from({ length }, (_, index) => given(meeting.rank, index));
        await shared.sum(values);
        all.push(values);
      }
      return all;
    }),
  );
}

/** Not the same backwards: another order of adding up has other bits. */
const given = (rank: number, index: number) => Math.fround(((index % 101) + 0.1) * 7 ** rank);

function expected(world: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => {
    let sum = 0;
    for (let rank = 0; rank < world; rank++) sum = Math.fround(sum + given(rank, index));
    return sum;
  });
}

// Through the sockets, just above that, and a second bucket with fewer values than there are ranks.
const LENGTHS = [0, 1, 8192, 8193, BUCKET + 1];

test.each([2, 3])(
  '%i ranks add up values of any length to the same bits, in the order of ranks',
  async (world) => {
    const [main, ...others] = await sums(world, LENGTHS);
    for (const [index, length] of LENGTHS.entries()) {
      const bits = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
      expect(bits(main![index]!).equals(bits(expected(world, length))), `${length} values`).toBe(true);
      for (const other of others) expect(bits(other[index]!).equals(bits(main![index]!))).toBe(true);
    }
  },
);

test('values that are part of a larger array leave the rest of it alone', async () => {
  const file = join(tempFolder(), 'values');
  writeFileSync(file, '');
  truncateSync(file, sharedBytes(2));
  const { hub, spokes } = await meetings(2);
  const arrays = [hub, spokes[0]!].map(() => new Float32Array(20_000).fill(1));
  await Promise.all(
    [hub, spokes[0]!].map((meeting, rank) =>
      new SharedValues(file, meeting).sum(arrays[rank]!.subarray(3, 19_997)),
    ),
  );
  for (const array of arrays) {
    expect([...array.subarray(0, 4)]).toEqual([1, 1, 1, 2]);
    expect([...array.subarray(-4)]).toEqual([2, 1, 1, 1]);
  }
});
