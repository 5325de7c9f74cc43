import { expect, test } from 'vitest';
import { BROKEN } from '../test/broken.js';
import { brokenPromises } from '../test/steady.js';

test.each(BROKEN.map((broken) => [broken.fault, broken.check, broken] as const))(
  '%s is found by the check %s, and by no other',
  async (_fault, _check, { factory, options, check }) => {
    const found = await brokenPromises(factory, options);
    expect(found.map((each) => each.check)).toEqual([check]);
  },
);
