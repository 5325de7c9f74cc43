import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { GROUPS } from '../test/cases/groups.js';
import { randomCases } from '../test/cases/random.js';
import { differences, slopeErrors } from '../test/compare.js';

const SEEDS = Array.from({ length: 10 }, (_, i) => 100 + i);

describe.each([true, false])('with fma %s', (fma) => {
  beforeAll(async () => {
    await enableTraining({ fma });
  }, 120_000);

  it.each(Object.keys(GROUPS))('%s give what cpu gives, forward and gradient', async (group) => {
    expect(await differences(GROUPS[group]!())).toEqual([]);
  });

  it.each(SEEDS)('900 operations with random shapes give what cpu gives, seed %i', async (seed) => {
    expect(await differences(randomCases(seed, 900))).toEqual([]);
  });
});

describe('finite differences', () => {
  it.each(SEEDS)('agree with the gradients of 270 random operations, seed %i', async (seed) => {
    const wrong: string[] = [];
    for (const each of randomCases(seed, 270)) {
      // The gradient of an average at a border is that of stock, and min and max have kinks everywhere.
      if (/^(avgPool|m)/.test(each.name)) continue;
      const errors = await slopeErrors(each);
      if (errors.some((error) => !(error < 0.03))) wrong.push(`${each.name}: ${errors}`);
    }
    expect(wrong).toEqual([]);
  });
});
