/** Codes of assembly/unary.ts. */
export const UNARY = {
  abs: 0,
  neg: 1,
  square: 2,
  sqrt: 3,
  rsqrt: 4,
  reciprocal: 5,
  exp: 6,
  log: 7,
  tanh: 8,
  sigmoid: 9,
  softplus: 10,
  relu: 11,
  relu6: 12,
  leakyRelu: 13,
  elu: 14,
  selu: 15,
  clip: 16,
  step: 17,
  sign: 18,
  powHalf: 19,
} as const;

/** Codes of assembly/binary.ts. */
export const BINARY = {
  add: 0,
  sub: 1,
  mul: 2,
  div: 3,
  maximum: 4,
  minimum: 5,
  squaredDifference: 6,
  prelu: 7,
  reluGradient: 8,
  sigmoidGradient: 9,
  tanhGradient: 10,
  eluGradient: 11,
  relu6Gradient: 12,
} as const;

/** Codes of assembly/compare.ts. */
export const COMPARE = { greater: 0, greaterEqual: 1, less: 2, lessEqual: 3, equal: 4, notEqual: 5 } as const;
