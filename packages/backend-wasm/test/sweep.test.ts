import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import type { Case } from './cases/case.js';
import { convCases } from './cases/conv.js';
import { elementwiseCases } from './cases/elementwise.js';
import { matmulCases } from './cases/matmul.js';
import { poolCases } from './cases/pool.js';
import { randomCases } from './cases/random.js';
import { reductionCases } from './cases/reductions.js';
import { shapeCases } from './cases/shapes.js';
import { differences } from './compare.js';

const GROUPS: Readonly<Record<string, () => Case[]>> = {
  'products of matrices': matmulCases,
  convolutions: convCases,
  pooling: poolCases,
  'functions of elements': elementwiseCases,
  reductions: reductionCases,
  rearrangements: shapeCases,
  'random shapes': () => randomCases(1, 220),
};

describe.each([true, false])('with fma %s, every kernel gives what cpu gives', (fma) => {
  beforeAll(async () => {
    await enableTraining({ fma });
  });

  it.each(Object.keys(GROUPS))('%s, forward and gradient', async (group) => {
    expect(await differences(GROUPS[group]!())).toEqual([]);
  });
});
