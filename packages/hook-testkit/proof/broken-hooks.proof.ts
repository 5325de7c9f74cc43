import { expect, test } from 'vitest';
import { BROKEN } from '../test/broken.js';
import { brokenPromises } from '../test/steady.js';

test.each(BROKEN)(
  '$fault is found by the check $check, and by no other',
  async ({ factory, options, check }) => {
    const found = await brokenPromises(factory, options);
    expect(found.map((each) => each.check)).toEqual([check]);
  },
);
