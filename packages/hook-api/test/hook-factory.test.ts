import { describe, expect, test } from 'vitest';
import { defineHook, defineOptions, type Hook, HookManager, hookFactory, is } from '../src/index.js';

interface AverageOptions {
  decay?: number;
  log?: boolean;
}

const schema = defineOptions<AverageOptions>('average', {
  decay: is.number({ min: 0, below: 1 }),
  log: is.boolean,
});

describe('a hook factory', () => {
  test('makes a hook from the options it is given', () => {
    const average = hookFactory(schema, ({ decay = 0.99 }) => defineHook({ name: 'average', decay }));
    expect(average({ decay: 0.5 })).toEqual({ name: 'average', decay: 0.5 });
  });

  test('can be called without options: the hook has its defaults', () => {
    const average = hookFactory(schema, ({ decay = 0.99 }) => defineHook({ name: 'average', decay }));
    expect(average().decay).toBe(0.99);
    expect(average({}).decay).toBe(0.99);
    expect(average(undefined).decay).toBe(0.99);
  });

  test('refuses wrong options with every problem, before anything is made', () => {
    const made: unknown[] = [];
    const average = hookFactory(schema, (options) => {
      made.push(options);
      return { name: 'average' };
    });
    expect(() => average({ decya: 0.9, decay: 1, log: 'yes' } as never)).toThrowError(
      expect.objectContaining({
        code: 'HOOK_OPTIONS',
        message: [
          'Hook "average" was given wrong options:',
          '  - unknown option "decya". Did you mean "decay"?',
          '  - "decay" must be a number of at least 0 and below 1, got 1',
          '  - "log" must be true or false, got "yes"',
          'Known options: decay, log.',
        ].join('\n'),
      }),
    );
    expect(() => average(null as never)).toThrow('expected an object, got null');
    expect(made).toEqual([]);
  });

  test('makes another hook each time, so that two trainers share no state', () => {
    const counter = hookFactory(defineOptions('counter', {}), () =>
      defineHook({ name: 'counter', count: 0 }),
    );
    const first = counter();
    first.count = 5;
    expect(counter().count).toBe(0);
  });

  test('may make several hooks', () => {
    const both = hookFactory(schema, (): Hook[] => [{ name: 'average' }, { name: 'average-log' }]);
    const manager = new HookManager();
    for (const hook of both({ log: true })) manager.add(hook);
    expect(manager.list().map(({ name }) => name)).toEqual(['average', 'average-log']);
  });

  test('carries its schema as `options`, where the trainer looks for it', async () => {
    const average = hookFactory(schema, () => ({ name: 'average' }));
    expect(average.options).toBe(schema);
    expect(await average.options['~standard'].validate({ decay: 2 })).toEqual({
      issues: [{ message: '"decay" must be a number of at least 0 and below 1, got 2' }],
    });
  });
});
