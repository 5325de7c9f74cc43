import type { Plain, PlainMemory } from './plain-memory.js';
import { total } from './plain-products.js';

/** Where the taps of a window lie along one axis: the tap, and the place inside of the image. */
function taps(out: number, filter: number, stride: number, dilation: number, before: number, size: number) {
  return Array.from({ length: filter }, (_, tap) => ({
    tap,
    at: out * stride - before + tap * dilation,
  })).filter(({ at }) => at >= 0 && at < size);
}

/** Calls `visit` for each pixel of the result and each pixel of the images that its window meets. */
function windows(
  [
    n,
    height,
    width,
    outH,
    outW,
    filterH,
    filterW,
    strideH,
    strideW,
    dilationH,
    dilationW,
    top,
    left,
  ]: Geometry,
  visit: (out: number, met: { pixel: number; tap: number }[]) => void,
): void {
  for (let i = 0; i < n * outH * outW; i++) {
    const [image, oh, ow] = [Math.floor(i / (outH * outW)), Math.floor(i / outW) % outH, i % outW];
    const rows = taps(oh, filterH, strideH, dilationH, top, height);
    const columns = taps(ow, filterW, strideW, dilationW, left, width);
    visit(
      i,
      rows.flatMap((row) =>
        columns.map((column) => ({
          pixel: (image * height + row.at) * width + column.at,
          tap: row.tap * filterW + column.tap,
        })),
      ),
    );
  }
}

// biome-ignore format: one line.
type Geometry = [number, number, number, number, number, number, number, number, number, number, number, number, number];

/** n, height, width, channels, outHeight, outWidth, filters, filter, strides, dilations: what `conv` takes. */
function convolution(args: readonly number[]): { geometry: Geometry; channels: number; filters: number } {
  const [n, height, width, channels, outH, outW, filters, ...rest] = args as Geometry;
  return {
    geometry: [n, height, width, outH, outW, ...rest.slice(0, 6), 0, 0] as Geometry,
    channels,
    filters,
  };
}

/** The same with paddings and without filters: what `depthwise` takes. */
function depthwise(args: readonly number[]): { geometry: Geometry; channels: number } {
  const [n, height, width, channels, outH, outW, ...rest] = args as Geometry;
  return { geometry: [n, height, width, outH, outW, ...rest.slice(0, 8)] as Geometry, channels };
}

/** The same without dilations: what pooling takes. */
function pooling(args: readonly number[]): { geometry: Geometry; channels: number } {
  const [n, height, width, channels, outH, outW, fh, fw, sh, sw, top, left] = args as Geometry;
  return { geometry: [n, height, width, outH, outW, fh, fw, sh, sw, 1, 1, top, left], channels };
}

/** An element of a filter [taps, channels, filters] that is packed in panels of 8 filters. */
function packed(memory: PlainMemory, at: number, depth: number, d: number, filter: number): number {
  return memory.get(at, Math.floor(filter / 8) * 8 * depth + d * 8 + (filter % 8));
}

export const PLAIN_IMAGES: Readonly<Record<string, Plain>> = {
  padImages: (memory, x, out, n, height, width, channels, outH, outW, top, left, spreadH, spreadW) => {
    for (let i = 0; i < n! * outH! * outW! * channels!; i++) memory.put(out!, i, 0);
    for (let i = 0; i < n! * height! * width! * channels!; i++) {
      const [c, w] = [i % channels!, Math.floor(i / channels!) % width!];
      const [h, image] = [
        Math.floor(i / (channels! * width!)) % height!,
        Math.floor(i / (channels! * width! * height!)),
      ];
      const [oh, ow] = [h * spreadH! + top!, w * spreadW! + left!];
      if (oh < 0 || oh >= outH! || ow < 0 || ow >= outW!) continue;
      memory.put(out!, ((image * outH! + oh) * outW! + ow) * channels! + c, memory.get(x!, i));
    }
  },

  packFilter: (memory, filter, out, depth, filters) => {
    memory.release(out!, depth! * Math.ceil(filters! / 8) * 8);
    for (let d = 0; d < depth!; d++)
      for (let f = 0; f < filters!; f++)
        memory.put(
          out!,
          Math.floor(f / 8) * 8 * depth! + d * 8 + (f % 8),
          memory.get(filter!, d * filters! + f),
        );
  },

  packFilterReversed: (memory, filter, out, count, channels, filters) => {
    const depth = count! * filters!;
    memory.release(out!, depth * Math.ceil(channels! / 8) * 8);
    for (let tap = 0; tap < count!; tap++)
      for (let c = 0; c < channels!; c++)
        for (let f = 0; f < filters!; f++) {
          const to = Math.floor(c / 8) * 8 * depth + ((count! - 1 - tap) * filters! + f) * 8 + (c % 8);
          memory.put(out!, to, memory.get(filter!, (tap * channels! + c) * filters! + f));
        }
  },

  conv: (memory, x, filter, y, ...rest) => {
    const { geometry, channels, filters } = convolution(rest);
    const [bias, relu] = rest.slice(13) as [number, number];
    const depth = geometry[5] * geometry[6] * channels;
    windows(geometry, (out, met) => {
      for (let f = 0; f < filters; f++) {
        let sum = bias ? memory.get(bias, f) : 0;
        for (const { pixel, tap } of met)
          sum += total(
            channels,
            (c) =>
              memory.get(x!, pixel * channels + c) * packed(memory, filter!, depth, tap * channels + c, f),
          );
        memory.put(y!, out * filters + f, relu ? Math.max(sum, 0) : sum);
      }
    });
  },

  convFilterGradient: (memory, x, dy, out, ...rest) => {
    const { geometry, channels, filters } = convolution(rest);
    const size = geometry[5] * geometry[6] * channels * filters;
    for (let i = 0; i < size; i++) memory.put(out!, i, 0);
    windows(geometry, (at, met) => {
      for (const { pixel, tap } of met)
        for (let c = 0; c < channels; c++)
          for (let f = 0; f < filters; f++)
            memory.add(
              out!,
              (tap * channels + c) * filters + f,
              memory.get(x!, pixel * channels + c) * memory.get(dy!, at * filters + f),
            );
    });
  },

  depthwise: (memory, x, filter, y, ...rest) => {
    const { geometry, channels } = depthwise(rest);
    const [bias, relu] = rest.slice(14) as [number, number];
    convolveEach(memory, x!, filter!, y!, geometry, channels, bias, relu, (tap) => tap);
  },

  depthwise3x3: (memory, x, filter, y, n, height, width, channels, outH, outW, ...rest) => {
    const [strideH, strideW, dilationH, dilationW, bias, relu, turned] = rest as [number, ...number[]];
    // biome-ignore format: one line.
    const geometry: Geometry = [n!, height!, width!, outH!, outW!, 3, 3, strideH, strideW!, dilationH!, dilationW!, 0, 0];
    const order = (tap: number) => (turned ? 8 - tap : tap);
    convolveEach(memory, x!, filter!, y!, geometry, channels!, bias!, relu!, order);
  },

  depthwiseInputGradient: (memory, dy, filter, dx, ...rest) => {
    const { geometry, channels } = depthwise(rest);
    zero(memory, dx!, geometry, channels);
    windows(geometry, (out, met) => {
      for (const { pixel, tap } of met)
        for (let c = 0; c < channels; c++)
          memory.add(
            dx!,
            pixel * channels + c,
            memory.get(dy!, out * channels + c) * memory.get(filter!, tap * channels + c),
          );
    });
  },

  depthwiseFilterGradient: (memory, x, dy, out, ...rest) => {
    const { geometry, channels } = depthwise(rest);
    for (let i = 0; i < geometry[5] * geometry[6] * channels; i++) memory.put(out!, i, 0);
    windows(geometry, (at, met) => {
      for (const { pixel, tap } of met)
        for (let c = 0; c < channels; c++)
          memory.add(
            out!,
            tap * channels + c,
            memory.get(x!, pixel * channels + c) * memory.get(dy!, at * channels + c),
          );
    });
  },

  repeatChannels: (memory, x, out, pixels, channels, times) => {
    for (let i = 0; i < pixels! * channels! * times!; i++)
      memory.put(out!, i, memory.get(x!, Math.floor(i / times!)));
  },

  sumRepeated: (memory, x, out, count, times) => {
    for (let i = 0; i < count!; i++)
      memory.put(
        out!,
        i,
        total(times!, (t) => memory.get(x!, i * times! + t)),
      );
  },

  maxPool: (memory, x, y, ...rest) => {
    const { geometry, channels } = pooling(rest);
    windows(geometry, (out, met) => {
      for (let c = 0; c < channels; c++)
        memory.put(
          y!,
          out * channels + c,
          Math.max(...met.map(({ pixel }) => memory.get(x!, pixel * channels + c))),
        );
    });
  },

  maxPoolGradient: (memory, dy, x, y, dx, ...rest) => {
    const { geometry, channels } = pooling(rest);
    zero(memory, dx!, geometry, channels);
    windows(geometry, (out, met) => {
      for (let c = 0; c < channels; c++) {
        const most = memory.get(y!, out * channels + c);
        const first = met.find(({ pixel }) => memory.get(x!, pixel * channels + c) === most);
        if (first) memory.add(dx!, first.pixel * channels + c, memory.get(dy!, out * channels + c));
      }
    });
  },

  averagePool: (memory, x, y, ...rest) => {
    const { geometry, channels } = pooling(rest);
    windows(geometry, (out, met) => {
      for (let c = 0; c < channels; c++) {
        const sum = met.reduce((all, { pixel }) => all + memory.get(x!, pixel * channels + c), 0);
        memory.put(y!, out * channels + c, sum / met.length);
      }
    });
  },

  averagePoolGradient: (memory, dy, dx, ...rest) => {
    const { geometry, channels } = pooling(rest);
    zero(memory, dx!, geometry, channels);
    windows(geometry, (out, met) => {
      for (const { pixel } of met)
        for (let c = 0; c < channels; c++)
          memory.add(dx!, pixel * channels + c, memory.get(dy!, out * channels + c) * rest[12]!);
    });
  },
};

function zero(memory: PlainMemory, dx: number, [n, height, width]: Geometry, channels: number): void {
  for (let i = 0; i < n * height * width * channels; i++) memory.put(dx, i, 0);
}

function convolveEach(
  memory: PlainMemory,
  x: number,
  filter: number,
  y: number,
  geometry: Geometry,
  channels: number,
  bias: number,
  relu: number,
  order: (tap: number) => number,
): void {
  windows(geometry, (out, met) => {
    for (let c = 0; c < channels; c++) {
      let sum = bias ? memory.get(bias, c) : 0;
      for (const { pixel, tap } of met)
        sum += memory.get(x, pixel * channels + c) * memory.get(filter, order(tap) * channels + c);
      memory.put(y, out * channels + c, relu ? Math.max(sum, 0) : sum);
    }
  });
}
