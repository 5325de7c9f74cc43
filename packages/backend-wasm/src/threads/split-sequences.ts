import { lstmRooms } from '../kernels/lstm-rooms.js';
import type { AlongRule } from './split-along.js';
import type { ExportName } from './team.js';

/** For a multiplication and its addition. */
const PRODUCT = 1 / 18;

/** As many rows as a tile of a product has, or a multiple: fewer would leave some of its vectors empty. */
const ROWS = 4;

/** Functions of sequences and of attention: those of a batch are shared out. What lies [time, batch, ...] stays where it is. */
export const SEQUENCE_RULES: Readonly<Partial<Record<ExportName, AlongRule>>> = {
  lstm: {
    count: 9,
    grain: ROWS,
    steps: (args) => perUnit(args[10]!, [0, 4], [3, 1], [4, 1], [5, 1]),
    rooms: (args) => {
      const { inner, packed } = lstmRooms(args[10]!);
      return bytesOf([6, inner], [7, packed]);
    },
    cost: { units: [8, 9, 10, 10], nanoseconds: 4 * PRODUCT },
  },
  lstmGradient: {
    count: 10,
    grain: ROWS,
    steps: (args) => perUnit(args[11]!, [0, 4], [2, 1], [3, 1], [4, 1], [5, 1], [6, 1], [7, 4]),
    rooms: (args) => bytesOf([8, lstmRooms(args[11]!).packedBack]),
    cost: { units: [9, 10, 11, 11], nanoseconds: 4 * PRODUCT },
  },
  gru: {
    count: 7,
    grain: ROWS,
    steps: (args) => perUnit(args[8]!, [0, 3], [3, 1], [4, 1], [5, 2]),
    cost: { units: [6, 7, 8, 8], nanoseconds: 3 * PRODUCT },
  },
  gruGradient: {
    count: 10,
    grain: ROWS,
    steps: (args) => perUnit(args[11]!, [0, 3], [3, 1], [4, 1], [5, 1], [6, 3], [7, 1], [8, 1]),
    cost: { units: [9, 10, 11, 11], nanoseconds: 3 * PRODUCT },
  },
  // Its rows: every number is a sum over time and sequences.
  sumOfProducts: {
    count: 8,
    grain: ROWS,
    steps: (args) => bytesOf([0, 1], [4, args[9]!], [5, args[9]!]),
    cost: { units: [6, 7, 8, 9], nanoseconds: PRODUCT },
  },
  attention: {
    count: 5,
    steps: (args) => {
      const { query, key, value, out, weights } = attentionFloats(args.slice(6));
      return bytesOf([0, query], [1, key], [2, value], [3, out], [4, weights]);
    },
    cost: { units: [5, 6, 7, 8, 9], nanoseconds: 2 * PRODUCT },
  },
  attentionGradient: {
    count: 9,
    steps: (args) => {
      const { query, key, value, out, weights } = attentionFloats(args.slice(10));
      // biome-ignore format: operands, then their gradients.
      return bytesOf([0, query], [1, key], [2, value], [3, weights], [4, out], [5, query], [6, key], [7, value]);
    },
    rooms: (args) => bytesOf([8, args[11]! * args[12]!]),
    cost: { units: [9, 10, 11, 12, 13], nanoseconds: 4 * PRODUCT },
  },
};

type Pair = readonly [argument: number, floats: number];

/** Addresses that advance by so many times the units from sequence to sequence. */
function perUnit(units: number, ...pairs: readonly Pair[]): Pair[] {
  return bytesOf(...pairs.map(([argument, width]) => [argument, width * units] as const));
}

function bytesOf(...pairs: readonly Pair[]): Pair[] {
  return pairs.map(([argument, floats]) => [argument, floats * 4]);
}

/** How many floats the operands have for one of a batch. The arguments begin with the heads. */
function attentionFloats(args: readonly number[]) {
  const [heads, time, keys, depth, width] = args as [number, number, number, number, number];
  return {
    query: time * heads * depth,
    key: keys * heads * depth,
    value: keys * heads * width,
    out: time * heads * width,
    weights: heads * time * keys,
  };
}
