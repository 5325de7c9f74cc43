import type { Plain } from './plain-memory.js';

interface Tap {
  /** Which one of its window it is. */
  readonly tap: number;
  /** Its place in its volume, without channels; undefined outside of it. */
  readonly at: number | undefined;
}

type Three = readonly [number, number, number];

/** The taps of one window of a volume, those outside of it too. */
function tapsOf(
  place: Three,
  size: Three,
  filter: Three,
  stride: Three,
  dilation: Three,
  before: Three,
): Tap[] {
  return Array.from({ length: filter[0] * filter[1] * filter[2] }, (_, tap) => {
    const own = [
      Math.floor(tap / (filter[1] * filter[2])),
      Math.floor(tap / filter[2]) % filter[1],
      tap % filter[2],
    ];
    const [d, h, w] = own.map(
      (k, axis) => place[axis]! * stride[axis]! - before[axis]! + k * dilation[axis]!,
    ) as [number, number, number];
    const inside = [d, h, w].every((at, axis) => at >= 0 && at < size[axis]!);
    return { tap, at: inside ? (d * size[1] + h) * size[2] + w : undefined };
  });
}

/** The place of the r-th window in the result [n, depth, height, width], and its image. */
function placeOf(r: number, [depth, height, width]: Three): { image: number; place: Three } {
  return {
    image: Math.floor(r / (depth * height * width)),
    place: [Math.floor(r / (height * width)) % depth, Math.floor(r / width) % height, r % width],
  };
}

export const PLAIN_VOLUMES: Readonly<Record<string, Plain>> = {
  patches3d: (memory, volume, matrix, first, count, depth, height, width, channels, ...rest) => {
    const three = (from: number) => rest.slice(from, from + 3) as unknown as Three;
    const [out, filter, stride, dilation, before, back] = [
      three(0),
      three(3),
      three(6),
      three(9),
      three(12),
      rest[15],
    ];
    const taps = filter[0] * filter[1] * filter[2];
    for (let row = 0; row < count!; row++) {
      const { image, place } = placeOf(first! + row, out);
      for (const { tap, at } of tapsOf(place, [depth!, height!, width!], filter, stride, dilation, before)) {
        for (let c = 0; c < channels!; c++) {
          const inMatrix = (row * taps + tap) * channels! + c;
          const inVolume = (image * depth! * height! * width! + (at ?? 0)) * channels! + c;
          if (!back) memory.put(matrix!, inMatrix, at === undefined ? 0 : memory.get(volume!, inVolume));
          else if (at !== undefined) memory.add(volume!, inVolume, memory.get(matrix!, inMatrix));
        }
      }
    }
  },

  maxPool3d: (memory, x, y, positions, inImage, dy, dx, n, depth, height, width, channels, ...rest) => {
    const three = (from: number) => rest.slice(from, from + 3) as unknown as Three;
    const [out, filter, stride, before] = [three(0), three(3), three(6), three(9)];
    const image = depth! * height! * width! * channels!;
    if (dx) for (let i = 0; i < n! * image; i++) memory.put(dx, i, 0);
    for (let r = 0; r < n! * out[0] * out[1] * out[2]; r++) {
      const { image: which, place } = placeOf(r, out);
      const taps = tapsOf(place, [depth!, height!, width!], filter, stride, [1, 1, 1], before);
      for (let c = 0; c < channels!; c++) {
        const inside = taps.flatMap(({ at }) => (at === undefined ? [] : [at * channels! + c]));
        const values = inside.map((at) => memory.get(x!, which * image + at));
        const most = Math.max(...values);
        const where = inside[values.indexOf(most)] ?? -1;
        if (y) memory.put(y, r * channels! + c, most);
        if (positions)
          memory.putWord(positions, r * channels! + c, inImage || where < 0 ? where : which * image + where);
        if (dx && where >= 0) memory.add(dx, which * image + where, memory.get(dy!, r * channels! + c));
      }
    }
  },
};
