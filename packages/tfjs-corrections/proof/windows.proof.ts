import { useBackend } from '@hookline/test-support';
import { beforeEach, describe, expect, test } from 'vitest';
import { correctTfjs } from '../src/index.js';
import { POOL_NAMES, RESIZE_FLAGS, wrongPools, wrongResizes } from '../test/gradients/window-cases.js';

const SEEDS = [1, 2, 3, 4, 5];
const SIZES = Array.from({ length: 12 }, (_, i) => i + 1);

describe.each(['cpu', 'wasm'] as const)('on %s, by the definition in double precision', (backend) => {
  beforeEach(async () => {
    await useBackend(backend);
    correctTfjs();
  });

  describe.each(POOL_NAMES)('%s', (name) => {
    test.each(SEEDS)('300 random shapes, windows, strides and paddings, seed %i', (seed) => {
      expect(wrongPools(name, seed, 300)).toEqual([]);
    });
  });

  test.each(RESIZE_FLAGS)('every resize from 1 to 12 rows to 1 to 12 rows: %s', (_name, flags) => {
    expect(wrongResizes(flags, SIZES, SIZES)).toEqual([]);
  });
});
