import { TrainerHook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { type HookMaker, isClass, makeHooks } from '../../src/discovery/make-hooks.js';

/** A class as compilers wrote it before ES2015. */
function compiledClass(): HookMaker {
  function Compiled(this: { name: string }) {
    this.name = 'compiled';
  }
  Compiled.prototype.onEpochEnd = () => {};
  return Compiled as unknown as HookMaker;
}

class WithFields extends TrainerHook {
  readonly name = 'with-fields';
}

function factory() {
  return { name: 'factory' };
}

test.each([
  ['a class', WithFields, true],
  [
    'a class in an expression',
    class {
      name = 'x';
    },
    true,
  ],
  ['a compiled class', compiledClass(), true],
  ['a class behind a proxy', new Proxy(WithFields, {}), true],
  ['a function', factory, false],
  ['an arrow function', () => ({ name: 'x' }), false],
  ['an async function', (async () => ({ name: 'x' })) as unknown as HookMaker, false],
  ['a bound function', factory.bind(undefined), false],
  ['a generator', function* () {} as unknown as HookMaker, false],
  ['a function whose source begins with class', { classy: () => ({ name: 'x' }) }.classy, false],
])('%s is taken for what it is', (_, maker, expected) => {
  expect(isClass(maker)).toBe(expected);
});

test('classes are constructed and factories are called', async () => {
  const names = async (maker: HookMaker) => (await makeHooks(maker, undefined, 'it')).map(({ name }) => name);
  expect(await names(WithFields)).toEqual(['with-fields']);
  expect(await names(compiledClass())).toEqual(['compiled']);
  expect(await names(factory)).toEqual(['factory']);
  expect(await names(() => [factory(), new WithFields()])).toEqual(['factory', 'with-fields']);
});
