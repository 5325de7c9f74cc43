import { someOf, TEST_BACKENDS, useBackend, useStockGradients } from '@hookline/test-support';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { correctTfjs } from '../../src/index.js';
import { POOL_NAMES, RESIZE_FLAGS, wrongPools, wrongResizes } from './window-cases.js';

afterAll(useStockGradients);

describe.each(TEST_BACKENDS)('on %s', (backend) => {
  beforeEach(async () => {
    await useBackend(backend);
    correctTfjs();
  });

  test.each(someOf(POOL_NAMES, 2))(
    '%s and its gradient are right over windows, strides and paddings',
    (name) => {
      expect(wrongPools(name, 0, 60)).toEqual([]);
    },
  );

  test.each(someOf(RESIZE_FLAGS, 1))(
    'resizing images of 1 to 5 rows and its gradient are right: %s',
    (_name, flags) => {
      expect(wrongResizes(flags, [1, 2, 3, 5], [1, 2, 3, 4, 7])).toEqual([]);
    },
  );
});
