import { describe, expectTypeOf, test } from 'vitest';
import {
  defineHook,
  defineOptions,
  type Hook,
  type HookFactory,
  type HookOptionsByName,
  hookFactory,
  is,
  type OptionsOf,
  type OptionsSchema,
} from '../src/index.js';

interface AverageOptions {
  decay?: number;
  every?: 'step' | 'epoch';
}

// As a hook package writes it. The name is one that no other package has: an augmentation holds for the whole program.
declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'average-of-the-type-tests': AverageOptions;
  }
}

const schema: OptionsSchema<AverageOptions> = defineOptions<AverageOptions>('average', {
  decay: is.number({ min: 0, max: 1 }),
  every: is.oneOf('step', 'epoch'),
});

describe('hookFactory', () => {
  test('knows the options from the schema, where they are read and where they are given', () => {
    const average = hookFactory(schema, (options) => {
      expectTypeOf(options).toEqualTypeOf<AverageOptions>();
      return { name: 'average' };
    });
    expectTypeOf(average).parameter(0).toEqualTypeOf<AverageOptions | undefined>();
    average();
    average({ decay: 0.9, every: 'epoch' });
    // @ts-expect-error There is no such option.
    average({ decya: 0.9 });
    // @ts-expect-error One of two words.
    average({ every: 'batch' });
  });

  test('knows what the factory makes: a hook with its own members, or several hooks', () => {
    const one = hookFactory(schema, ({ decay = 0.99 }) => defineHook({ name: 'average', decay }));
    expectTypeOf(one().decay).toEqualTypeOf<number>();
    const several = hookFactory(schema, (): Hook[] => [{ name: 'a' }, { name: 'b' }]);
    expectTypeOf(several()).toEqualTypeOf<Hook[]>();
    // @ts-expect-error A hook has a name.
    hookFactory(schema, () => ({ onStepEnd() {} }));
  });

  test('gives what a package exports, with the schema as its options', () => {
    const average = hookFactory(schema, () => ({ name: 'average' }));
    expectTypeOf(average).toExtend<HookFactory<AverageOptions>>();
    expectTypeOf(average.options).toEqualTypeOf<OptionsSchema<AverageOptions>>();
    expectTypeOf(average.options).toExtend<OptionsSchema>();
  });
});

describe('options by name', () => {
  test('are those that a package has declared for its hook', () => {
    expectTypeOf<OptionsOf<'average-of-the-type-tests'>>().toEqualTypeOf<AverageOptions>();
    expectTypeOf<HookOptionsByName>().toHaveProperty('average-of-the-type-tests');
  });

  test('are any object for a hook that nobody has declared', () => {
    expectTypeOf<OptionsOf<'somebody-elses'>>().toEqualTypeOf<object>();
  });
});
