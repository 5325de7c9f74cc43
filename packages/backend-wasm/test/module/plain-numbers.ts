import { bitsOf } from '../../src/backend/kernel-context.js';
import { BINARY, COMPARE, UNARY } from '../../src/module/operation-codes.js';
import type { Plain, PlainMemory } from './plain-memory.js';
import { total } from './plain-products.js';

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

const UNARY_FUNCTIONS: Readonly<Record<keyof typeof UNARY, (x: number, a: number, b: number) => number>> = {
  abs: Math.abs,
  neg: (x) => -x,
  square: (x) => x * x,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  reciprocal: (x) => 1 / x,
  exp: Math.exp,
  log: Math.log,
  tanh: Math.tanh,
  sigmoid,
  softplus: (x) => Math.log1p(Math.exp(x)),
  relu: (x) => Math.max(x, 0),
  relu6: (x) => Math.min(Math.max(x, 0), 6),
  leakyRelu: (x, a) => (x < 0 ? x * a : x),
  elu: (x) => (x < 0 ? Math.expm1(x) : x),
  selu: (x, a, b) => (x < 0 ? b * Math.expm1(x) : a * x),
  clip: (x, a, b) => Math.min(Math.max(x, a), b),
  step: (x, a) => (x > 0 ? 1 : a),
  sign: Math.sign,
  powHalf: Math.sqrt,
};

const BINARY_FUNCTIONS: Readonly<Record<keyof typeof BINARY, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  maximum: Math.max,
  minimum: Math.min,
  squaredDifference: (a, b) => (a - b) ** 2,
  prelu: (a, b) => (a < 0 ? a * b : a),
  reluGradient: (a, b) => (b > 0 ? a : 0),
  sigmoidGradient: (a, b) => a * b * (1 - b),
  tanhGradient: (a, b) => a * (1 - b * b),
  eluGradient: (a, b) => (b >= 0 ? a : a * (b + 1)),
  relu6Gradient: (a, b) => (b > 0 && b < 6 ? a : 0),
};

const COMPARISONS: Readonly<Record<keyof typeof COMPARE, (a: number, b: number) => boolean>> = {
  greater: (a, b) => a > b,
  greaterEqual: (a, b) => a >= b,
  less: (a, b) => a < b,
  lessEqual: (a, b) => a <= b,
  equal: (a, b) => a === b,
  notEqual: (a, b) => a !== b,
};

/** In the order of src/kernels/fused-gradient.ts. */
const SLOPES: readonly ((dy: number, y: number) => number)[] = [
  (dy) => dy,
  BINARY_FUNCTIONS.reluGradient,
  BINARY_FUNCTIONS.sigmoidGradient,
  BINARY_FUNCTIONS.tanhGradient,
  BINARY_FUNCTIONS.eluGradient,
  BINARY_FUNCTIONS.relu6Gradient,
];

const REDUCTIONS: readonly ((values: readonly number[]) => number)[] = [
  (values) => Math.max(...values),
  (values) => Math.min(...values),
  (values) => values.reduce((product, value) => product * value, 1),
];

export const PLAIN_NUMBERS: Readonly<Record<string, Plain>> = {
  unary: (memory, code, x, out, n, a, b) => {
    const f = named(UNARY, UNARY_FUNCTIONS, code!);
    for (let i = 0; i < n!; i++) memory.put(out!, i, f(memory.get(x!, i), a!, b!));
  },

  binary: (memory, code, a, b, out, ...plan) => {
    const f = named(BINARY, BINARY_FUNCTIONS, code!);
    pairs(memory, a!, b!, plan, (i, left, right) => memory.put(out!, i, f(left, right)));
  },

  compare: (memory, code, a, b, out, ...plan) => {
    const f = named(COMPARE, COMPARISONS, code!);
    pairs(memory, a!, b!, plan, (i, left, right) => memory.putByte(out!, i, Number(f(left, right))));
  },

  select: (memory, condition, a, b, out, n) => {
    for (let i = 0; i < n!; i++)
      memory.putWord(out!, i, memory.word(memory.byte(condition!, i) ? a! : b!, i));
  },

  floatsOfBytes: (memory, x, out, n) => {
    for (let i = 0; i < n!; i++) memory.put(out!, i, memory.byte(x!, i));
  },
  floatsOfInts: (memory, x, out, n) => {
    for (let i = 0; i < n!; i++) memory.put(out!, i, memory.word(x!, i));
  },
  bytesOfFloats: (memory, x, out, n) => {
    for (let i = 0; i < n!; i++) memory.putByte(out!, i, Number(memory.get(x!, i) !== 0));
  },
  bytesOfInts: (memory, x, out, n) => {
    for (let i = 0; i < n!; i++) memory.putByte(out!, i, Number(memory.word(x!, i) !== 0));
  },

  softmax: (memory, x, out, height, width) => {
    for (let r = 0; r < height!; r++) {
      const row = Array.from({ length: width! }, (_, c) => memory.get(x!, r * width! + c));
      for (const [c, value] of softmaxOf(row).entries()) memory.put(out!, r * width! + c, value);
    }
  },

  softmaxGradient: (memory, dy, y, out, height, width) => {
    for (let r = 0; r < height!; r++) {
      const at = (c: number) => r * width! + c;
      const dot = total(width!, (c) => memory.get(dy!, at(c)) * memory.get(y!, at(c)));
      const row = Array.from(
        { length: width! },
        (_, c) => memory.get(y!, at(c)) * (memory.get(dy!, at(c)) - dot),
      );
      for (const [c, value] of row.entries()) memory.put(out!, at(c), value);
    }
  },

  activationGradient: (memory, code, dy, y, dz, bias, height, width) => {
    for (let c = 0; c < width!; c++) {
      const column = Array.from({ length: height! }, (_, r) =>
        SLOPES[code!]!(memory.get(dy!, r * width! + c), memory.get(y!, r * width! + c)),
      );
      if (code) for (const [r, value] of column.entries()) memory.put(dz!, r * width! + c, value);
      if (bias)
        memory.put(
          bias,
          c,
          total(height!, (r) => column[r]!),
        );
    }
  },

  sum: (memory, x, out, outer, count, inner, factor) => {
    columns(memory, x!, outer!, count!, inner!, (i, values) => {
      memory.put(out!, i, factor! * total(count!, (r) => values[r]!));
    });
  },

  reduce: (memory, code, x, out, outer, count, inner) => {
    columns(memory, x!, outer!, count!, inner!, (i, values) =>
      memory.put(out!, i, REDUCTIONS[code!]!(values)),
    );
  },

  copyStrided: (memory, from, to, n0, n1, n2, n3, f0, f1, f2, f3, t0, t1, t2, t3) => {
    for (let i = 0; i < n0!; i++)
      for (let j = 0; j < n1!; j++)
        for (let k = 0; k < n2!; k++)
          for (let l = 0; l < n3!; l++) {
            const value = memory.word(from!, i * f0! + j * f1! + k * f2! + l * f3!);
            memory.putWord(to!, i * t0! + j * t1! + k * t2! + l * t3!, value);
          }
  },

  transpose: (memory, x, out, batch, height, width) => {
    for (let i = 0; i < batch! * height! * width!; i++) {
      const [b, r, c] = [Math.floor(i / (height! * width!)), Math.floor(i / width!) % height!, i % width!];
      memory.putWord(out!, (b * width! + c) * height! + r, memory.word(x!, i));
    }
  },

  fill: (memory, out, n, bits) => {
    for (let i = 0; i < n!; i++) memory.putWord(out!, i, bits!);
  },

  gather: (memory, x, indices, out, outer, axis, n, inner) => {
    const places = Array.from({ length: n! }, (_, i) => memory.word(indices!, i));
    const bad = places.findIndex((place) => place < 0 || place >= axis!);
    if (bad >= 0) return bad;
    for (let i = 0; i < outer! * n! * inner!; i++) {
      const [o, row, c] = [Math.floor(i / (n! * inner!)), Math.floor(i / inner!) % n!, i % inner!];
      memory.putWord(out!, i, memory.word(x!, (o * axis! + places[row]!) * inner! + c));
    }
    return -1;
  },

  segmentSum: (memory, x, segment, out, n, inner, segments) => {
    for (let i = 0; i < segments! * inner!; i++) memory.put(out!, i, 0);
    for (let i = 0; i < n!; i++) {
      const s = memory.word(segment!, i);
      if (s < 0 || s >= segments!) continue;
      for (let c = 0; c < inner!; c++) memory.add(out!, s * inner! + c, memory.get(x!, i * inner! + c));
    }
  },
};

export function softmaxOf(row: readonly number[]): number[] {
  const most = Math.max(...row);
  const powers = row.map((value) => Math.exp(value - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** The bits of a float, as `fill` takes them. */
export const FILLINGS: readonly number[] = [0, -0, 1.5, Number.NaN, 1e-42].map(bitsOf);

function named<Name extends string, F>(
  codes: Readonly<Record<Name, number>>,
  functions: Readonly<Record<Name, F>>,
  code: number,
): F {
  return functions[(Object.keys(codes) as Name[]).find((name) => codes[name] === code)!];
}

function pairs(
  memory: PlainMemory,
  a: number,
  b: number,
  [n0, n1, n2, a0, a1, a2, b0, b1, b2]: readonly number[],
  visit: (index: number, left: number, right: number) => void,
): void {
  let index = 0;
  for (let i = 0; i < n0!; i++)
    for (let j = 0; j < n1!; j++)
      for (let k = 0; k < n2!; k++) {
        const left = memory.get(a, i * a0! + j * a1! + k * a2!);
        visit(index++, left, memory.get(b, i * b0! + j * b1! + k * b2!));
      }
}

function columns(
  memory: PlainMemory,
  x: number,
  outer: number,
  count: number,
  inner: number,
  visit: (index: number, values: number[]) => void,
): void {
  for (let i = 0; i < outer * inner; i++) {
    const start = Math.floor(i / inner) * count * inner + (i % inner);
    visit(
      i,
      Array.from({ length: count }, (_, r) => memory.get(x, start + r * inner)),
    );
  }
}
