/**
 * Percentiles by linear interpolation between the two nearest values, as NumPy's default does. The values must be
 * finite, and there must be some.
 *
 * Sorts only what lies near a percentile: the values are dealt into buckets by their leading bits, and the buckets
 * in question are sorted. To sort all 4,096 values of a sample for three percentiles takes several times as long.
 */
export function percentilesOf(values: Float32Array, percentiles: readonly number[]): number[] {
  const places = percentiles.map((percentile) => (percentile / 100) * (values.length - 1));
  const ranks = places.flatMap((place) => [Math.floor(place), Math.ceil(place)]);
  const found = valuesOfRanks(values, new Set(ranks.sort((a, b) => a - b)));
  return places.map((place) => {
    const below = found.get(Math.floor(place))!;
    const above = found.get(Math.ceil(place))!;
    return below + (above - below) * (place - Math.floor(place));
  });
}

/** The values that sorting would bring to these places, which are given in ascending order. */
function valuesOfRanks(values: Float32Array, ranks: Iterable<number>): Map<number, number> {
  const keys = orderedKeys(values);
  const counts = new Int32Array(BUCKETS);
  for (let i = 0; i < keys.length; i++) counts[keys[i]!]!++;
  const found = new Map<number, number>();
  let bucket = 0;
  let before = 0;
  let sorted: { bucket: number; members: Float32Array } | undefined;
  for (const rank of ranks) {
    while (before + counts[bucket]! <= rank) before += counts[bucket++]!;
    if (sorted?.bucket !== bucket) {
      sorted = { bucket, members: sortedMembers(values, keys, bucket, counts[bucket]!) };
    }
    found.set(rank, sorted.members[rank - before]!);
  }
  return found;
}

function sortedMembers(values: Float32Array, keys: Uint16Array, bucket: number, count: number): Float32Array {
  const members = new Float32Array(count);
  let found = 0;
  for (let i = 0; i < keys.length; i++) if (keys[i] === bucket) members[found++] = values[i]!;
  return members.sort();
}

const KEY_BITS = 12;
const BUCKETS = 2 ** KEY_BITS;

/** The leading bits of each value: sign, exponent and the first of the fraction, turned so that they order as the values do. */
function orderedKeys(values: Float32Array): Uint16Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keys = new Uint16Array(values.length);
  for (let i = 0; i < bits.length; i++) {
    const each = bits[i]!;
    // Of negative numbers, those with larger bits are smaller: all bits are turned. Of others, only the sign.
    keys[i] = (each ^ ((each >> 31) | 0x80000000)) >>> (32 - KEY_BITS);
  }
  return keys;
}
