import type { Hook } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import { Trainer, type TrainerOptions } from '../../src/index.js';

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'typed-goal': { goal?: number };
  }
}

declare const options: TrainerOptions;
declare const model: TrainerOptions['model'];
declare const hook: Hook;
declare const trainer: Trainer;

test('the options of an installed hook are checked wherever it is named', () => {
  new Trainer({
    model,
    hooks: [hook, ['typed-goal', { goal: 1 }], ['typed-goal', { name: 'second', goal: 2 }]],
  });
  new Trainer({ model, hooks: { 'typed-goal': { goal: 1 } } });
  trainer.use('typed-goal', { goal: 1 });
  trainer.addHook(['typed-goal', { goal: 1 }]);
  // @ts-expect-error There is no such option.
  new Trainer({ model, hooks: [['typed-goal', { gaol: 1 }]] });
  // @ts-expect-error There is no such option.
  new Trainer({ model, hooks: { 'typed-goal': { gaol: 1 } } });
  // @ts-expect-error There is no such option.
  trainer.use('typed-goal', { gaol: 1 });
  // @ts-expect-error There is no such option.
  trainer.addHook(['typed-goal', { gaol: 1 }]);
});

test('hooks that nobody declared and files take any options', () => {
  new Trainer({
    model,
    hooks: [
      ['ema', { decay: 0.9 }],
      ['./hooks/mine.js#Mine', { a: 1 }],
    ],
  });
  trainer.use('ema', { decay: 0.9 });
  trainer.addHook('./hooks/mine.js#Mine');
});

test('a trainer is a Trainer, whichever hooks it has', () => {
  expectTypeOf(new Trainer({ ...options, hooks: [['typed-goal', { goal: 1 }]] })).toExtend<Trainer>();
  expectTypeOf(new Trainer(options)).toExtend<Trainer>();
  const late: Trainer = new Trainer({ model });
  expectTypeOf(late).toEqualTypeOf<Trainer>();
});
