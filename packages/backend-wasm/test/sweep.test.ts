import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { GROUPS } from './cases/groups.js';
import { differences } from './compare.js';

// Without fma, and with many more random shapes: proof/sweep.proof.ts.
describe('every kernel gives what cpu gives', () => {
  beforeAll(async () => {
    await enableTraining();
  });

  it.each(Object.keys(GROUPS))('%s, forward and gradient', async (group) => {
    expect(await differences(GROUPS[group]!())).toEqual([]);
  });
});
