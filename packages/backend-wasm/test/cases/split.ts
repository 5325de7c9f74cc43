import type { ExportName } from '../../src/threads/team.js';
import { BLOCK_CASES } from './split-blocks.js';
import { SEQUENCE_CASES } from './split-sequences.js';

/** A call of the module that threads share out; all its addresses are in an arena of random numbers. */
export interface SplitCase {
  readonly title: string;
  readonly name: ExportName;
  args(arena: number): number[];
  /** Addresses and sizes of room to compute in: what is left there means nothing. */
  scratch?(arena: number): readonly (readonly [address: number, floats: number])[];
}

export const ARENA_FLOATS = 200_000;

/** Addresses of five parts of the arena. */
function five(arena: number): [number, number, number, number, number] {
  const part = Math.floor(ARENA_FLOATS / 5 / 16) * 64;
  return [arena, arena + part, arena + 2 * part, arena + 3 * part, arena + 4 * part];
}

function products(): SplitCase[] {
  const shapes = [
    [37, 50, 40, 1],
    [7, 130, 300, 1],
    [130, 9, 33, 1],
    [20, 30, 11, 4],
    [12, 9, 10, 9],
  ] as const;
  const flags = [0, 1] as const;
  return shapes.flatMap(([m, n, k, batch]) =>
    flags.flatMap((ta) =>
      flags.map((tb): SplitCase => {
        const title = `matMul ${batch} x ${m} x ${n} x ${k}${ta ? ', a transposed' : ''}${tb ? ', b transposed' : ''}`;
        // One right matrix for the whole batch, where a is transposed.
        const args = (arena: number) => {
          const [a, b, out, bias] = five(arena);
          return [a, ta, b, tb, out, m, n, k, tb ? 0 : bias, ta, batch, m * k, ta ? 0 : k * n];
        };
        return { title, name: 'matMul', args };
      }),
    ),
  );
}

function convolutions(): SplitCase[] {
  // n, height, width, channels, filters, filter, stride, dilation
  const shapes = [
    [8, 12, 11, 3, 10, 3, 1, 1],
    [1, 20, 9, 4, 8, 3, 1, 1],
    [3, 13, 13, 2, 17, 3, 2, 1],
    [2, 15, 12, 5, 9, 2, 1, 2],
    [7, 4, 4, 1, 3, 3, 1, 1],
  ] as const;
  return shapes.flatMap(([n, height, width, channels, filters, filter, stride, dilation]): SplitCase[] => {
    const outOf = (size: number) => Math.floor((size - (filter - 1) * dilation - 1) / stride) + 1;
    const [outHeight, outWidth] = [outOf(height), outOf(width)];
    const geometry = [
      n,
      height,
      width,
      channels,
      outHeight,
      outWidth,
      filters,
      filter,
      filter,
      stride,
      stride,
    ];
    const title = `${n} images of ${height} x ${width} x ${channels}, ${filters} filters, stride ${stride}, dilation ${dilation}`;
    return [
      {
        title: `conv, ${title}`,
        name: 'conv',
        args: (arena) => {
          const [x, panels, y, bias] = five(arena);
          return [x, panels, y, ...geometry, dilation, dilation, bias, 1];
        },
      },
      {
        title: `convFilterGradient, ${title}`,
        name: 'convFilterGradient',
        args: (arena) => {
          const [x, dy, out] = five(arena);
          return [x, dy, out, ...geometry, dilation, dilation];
        },
      },
    ];
  });
}

function ofImages(): SplitCase[] {
  const pool = [7, 10, 9, 6, 5, 4, 2, 2, 2, 2, 0, 0];
  const overlapping = [5, 10, 9, 3, 10, 9, 3, 3, 1, 1, 1, 1];
  const depthwise = [5, 9, 8, 6, 9, 8, 3, 3, 1, 1, 1, 1, 1, 1];
  const small = (name: ExportName, make: (addresses: readonly number[]) => number[]): SplitCase => ({
    title: name,
    name,
    args: (arena) => make(five(arena)),
  });
  return [
    small('padImages', ([x, out]) => [x!, out!, 7, 9, 8, 5, 12, 11, 2, 1, 1, 1]),
    small('padImages', ([x, out]) => [x!, out!, 4, 5, 4, 3, 12, 11, 2, 1, 2, 2]),
    small('depthwise', ([x, filter, y, bias]) => [x!, filter!, y!, ...depthwise, bias!, 1]),
    small('depthwise3x3', ([x, filter, y, bias]) => [
      x!,
      filter!,
      y!,
      5,
      9,
      8,
      6,
      7,
      6,
      1,
      1,
      1,
      1,
      bias!,
      1,
      0,
    ]),
    small('depthwiseInputGradient', ([dy, filter, dx]) => [dy!, filter!, dx!, ...depthwise]),
    ...[pool, overlapping].flatMap((geometry) => [
      small('maxPool', ([x, y]) => [x!, y!, ...geometry]),
      small('maxPoolGradient', ([dy, x, y, dx]) => [dy!, x!, y!, dx!, ...geometry]),
      small('averagePool', ([x, y]) => [x!, y!, ...geometry]),
      small('averagePoolGradient', ([dy, dx]) => [dy!, dx!, ...geometry, 0.25]),
    ]),
  ];
}

function ofRowsAndNumbers(): SplitCase[] {
  const make = (title: string, name: ExportName, args: (five: readonly number[]) => number[]): SplitCase => ({
    title,
    name,
    args: (arena) => args(five(arena)),
  });
  const adam = [0.9, 0.1, 0.999, 0.001, 1e-7, 0.01, 0.02, 0.99];
  return [
    make('product that is added', 'product', ([a, b, out]) => [
      a!,
      40,
      0,
      b!,
      60,
      0,
      out!,
      50,
      45,
      30,
      0,
      0,
      1,
    ]),
    make('softmax', 'softmax', ([x, out]) => [x!, out!, 50, 33]),
    make('softmaxGradient', 'softmaxGradient', ([dy, y, out]) => [dy!, y!, out!, 50, 33]),
    ...[6, 8, 9, 11, 15, 16].map((code) =>
      make(`unary ${code}`, 'unary', ([x, out]) => [code, x!, out!, 1003, -0.5, 0.5]),
    ),
    make('unary in place', 'unary', ([x]) => [2, x!, x!, 777, 0, 0]),
    make('binary of equal shapes', 'binary', ([a, b, out]) => [
      2,
      a!,
      b!,
      out!,
      1,
      1,
      1003,
      0,
      0,
      1,
      0,
      0,
      1,
    ]),
    make('binary of a matrix and a row', 'binary', ([a, b, out]) => [
      0,
      a!,
      b!,
      out!,
      1,
      37,
      21,
      0,
      21,
      1,
      0,
      0,
      1,
    ]),
    make('binary over three axes', 'binary', ([a, b, out]) => [1, a!, b!, out!, 7, 5, 9, 9, 0, 1, 5, 1, 0]),
    make('sgd', 'sgd', ([p, , g]) => [p!, 0, g!, 1003, 0.1, 0, 0, 0.01]),
    make('sgd with momentum', 'sgd', ([p, v, g]) => [p!, v!, g!, 1003, 0.1, 0.9, 1, 0]),
    make('adam', 'adam', ([p, m, v, g]) => [p!, m!, v!, g!, 1003, ...adam]),
    make('rmsprop', 'rmsprop', ([p, s, m, v, g]) => [
      p!,
      s!,
      m!,
      v!,
      g!,
      1003,
      0.1,
      0.9,
      0.1,
      1e-7,
      0.9,
      0.1,
    ]),
    make('rmsprop, plain', 'rmsprop', ([p, s, , , g]) => [p!, s!, 0, 0, g!, 1003, 0.1, 0.9, 0.1, 1e-7, 0, 0]),
    make('adagrad', 'adagrad', ([p, s, g]) => [p!, s!, g!, 1003, 0.1, 0.1, 1e-7, 0]),
    make('adadelta', 'adadelta', ([p, s, d, g]) => [p!, s!, d!, g!, 1003, 1, 0.95, 0.05, 1e-7, 0]),
    make('lion', 'lion', ([p, m, g]) => [p!, m!, g!, 1003, 0.1, 0.9, 0.1, 0.99, 0.01, 0.99]),
  ];
}

export const SPLIT_CASES: readonly SplitCase[] = [
  ...products(),
  ...convolutions(),
  ...ofImages(),
  ...ofRowsAndNumbers(),
  ...SEQUENCE_CASES,
  ...BLOCK_CASES,
];
