import type { Case } from './case.js';
import { convCases } from './conv.js';
import { elementwiseCases } from './elementwise.js';
import { matmulCases } from './matmul.js';
import { poolCases } from './pool.js';
import { randomCases } from './random.js';
import { reductionCases } from './reductions.js';
import { shapeCases } from './shapes.js';

/** Cases for every kernel, by what the kernels do. */
export const GROUPS: Readonly<Record<string, () => Case[]>> = {
  'products of matrices': matmulCases,
  convolutions: convCases,
  pooling: poolCases,
  'functions of elements': elementwiseCases,
  reductions: reductionCases,
  rearrangements: shapeCases,
  'random shapes': () => randomCases(1, 220),
};
