import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { convCases } from './cases/conv.js';
import { matmulCases } from './cases/matmul.js';
import { poolCases } from './cases/pool.js';
import { randomCases } from './cases/random.js';
import { slopeErrors } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

// Independent of cpu, whose gradients could be wrong in the same way.
describe('gradients are the slopes of what they are gradients of', () => {
  const groups = {
    'products of matrices': matmulCases,
    convolutions: convCases,
    // Stock divides the gradient of an average by the whole window also at a border, where some of it is outside.
    pooling: () =>
      poolCases().filter(({ name }) => name.startsWith('maxPool') || name.startsWith('dilation')),
    'random shapes': () =>
      randomCases(2, 90).filter(({ name }) => !name.startsWith('avgPool') && !name.startsWith('m')),
  };
  it.each(Object.entries(groups))('%s', async (_name, cases) => {
    const wrong: string[] = [];
    for (const each of cases()) {
      const errors = await slopeErrors(each);
      if (errors.some((error) => !(error < 0.02))) wrong.push(`${each.name}: ${errors}`);
    }
    expect(wrong).toEqual([]);
  });
});
