import { expect, expectTypeOf, it } from 'vitest';
import * as browser from '../../src/host/browser.js';
import * as node from '../../src/host/node.js';

it('a browser has everything that the rooms of the trainer ask of their host', () => {
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
  expectTypeOf<typeof browser>().toExtend<
    Omit<typeof node, 'openRunFolder'> & Pick<typeof browser, 'openRunFolder'>
  >();
});
