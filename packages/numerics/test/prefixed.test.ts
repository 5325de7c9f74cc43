import { expect, test } from 'vitest';
import { withoutPrefix, withPrefix } from '../src/index.js';

test('names get a prefix and lose it; values under other names are left out', () => {
  const prefixed = withPrefix({ a: 1, b: 2 }, 'model/');
  expect(prefixed).toEqual({ 'model/a': 1, 'model/b': 2 });
  expect(withoutPrefix({ ...prefixed, 'other/a': 3, model: 4 }, 'model/')).toEqual({ a: 1, b: 2 });
});
