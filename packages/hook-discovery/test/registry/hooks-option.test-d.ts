import type { Hook, HookFactory } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import type {
  CheckedHooks,
  CheckedItem,
  HookItem,
  HookMap,
  HookName,
  HookSettingOf,
  HooksOption,
} from '../../src/index.js';

interface StopperOptions {
  patience?: number;
  monitor?: string;
}

// As a hook package declares the types of its options.
declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'typed-stopper': StopperOptions;
    'typed-writer': { dir: string };
  }
}

declare const hook: Hook;
declare const factory: HookFactory<{ patience?: number }>;
declare const needy: (options: { url: string }) => Hook[];
declare class Watcher {
  readonly name: string;
  constructor(options: { path: string });
  onForward(): void;
}
declare const options: StopperOptions;
/** As the trainer takes them. */
declare function train<const Hooks extends HooksOption>(hooks: Hooks & CheckedHooks<Hooks>): void;
declare function addHook<const Item extends HookItem>(item: Item & CheckedItem<Item>): void;
declare function use<Name extends HookName>(name: Name, setting?: HookSettingOf<Name>): void;

test('hooks takes a list of hooks, classes, factories and names, with options or a switch', () => {
  const list = [
    hook,
    factory,
    needy,
    Watcher,
    'early-stopping',
    ['early-stopping', options],
    [Watcher, { path: 'a' }],
    [hook, false],
    false,
    undefined,
  ] as const;
  expectTypeOf(list).toExtend<HooksOption>();
  expectTypeOf<[number]>().not.toExtend<HooksOption>();
  train(list);
  train([hook, factory, needy, Watcher, [Watcher, { path: 'a' }], [hook, false], false, null, undefined]);
});

test('hooks takes a map from name to switch, options, hook, class or factory', () => {
  const map = { progress: false, 'early-stopping': options, mine: hook, watcher: Watcher, needy };
  expectTypeOf(map).toExtend<HooksOption>();
  expectTypeOf<{ progress: 3 }>().not.toExtend<HooksOption>();
  expectTypeOf<{ progress: 'off' }>().not.toExtend<HooksOption>();
});

test('in a list, the options of a hook whose package declares them are checked', () => {
  train(['typed-stopper', ['typed-stopper', { patience: 3 }], ['typed-stopper', true]]);
  train([
    ['typed-stopper', { name: 'stop-on-accuracy', monitor: 'val/accuracy' }],
    ['typed-writer', { dir: 'a', name: 'b' }],
  ]);
  addHook(['typed-stopper', { patience: 3, name: 'second' }]);
  // @ts-expect-error There is no such option.
  train([['typed-stopper', { pacience: 3 }]]);
  // @ts-expect-error It must be a number.
  train([['typed-stopper', { patience: 'x' }]]);
  // @ts-expect-error The folder is missing.
  train([['typed-writer', { name: 'b' }]]);
  // @ts-expect-error There is no such option.
  addHook(['typed-stopper', { pacience: 3 }]);
  // @ts-expect-error A name is text.
  addHook(['typed-stopper', { name: 3 }]);
});

test('in a map and in use(), the options of a hook whose package declares them are checked', () => {
  const map: HookMap = { 'typed-stopper': { patience: 3, name: 'patient' }, 'typed-writer': false };
  train(map);
  train({ 'typed-stopper': { patience: 3 }, 'typed-writer': hook });
  use('typed-stopper', { patience: 3, name: 'patient' });
  use('typed-stopper', false);
  use('typed-stopper', hook);
  use('typed-stopper');
  // @ts-expect-error There is no such option.
  train({ 'typed-stopper': { pacience: 3 } });
  // @ts-expect-error It must be a number.
  train({ 'typed-stopper': { patience: 'x' } });
  // @ts-expect-error There is no such option.
  use('typed-stopper', { pacience: 3 });
  // @ts-expect-error Several instances are for the list, not for a map.
  train({ 'typed-stopper': [{ patience: 3 }, { patience: 5 }] });
  // @ts-expect-error A number says nothing.
  use('typed-stopper', 3);
});

test('names that nobody declared, packages and files take any options', () => {
  train(['ema', ['ema', { decay: 0.9 }], ['@acme/trainer-hook-ema', { a: 1 }], ['./hooks/x.js#Y', { b: 2 }]]);
  train({ ema: { decay: 0.9 }, '@acme/trainer-hook-ema': true, './hooks/x.js#Y': { b: 2 }, mine: hook });
  use('ema', { decay: 0.9 });
  use('./hooks/x.js#Y', { b: 2 });
  use('@acme/trainer-hook-ema', false);
  addHook(['./hooks/x.js#Y', { b: 2 }]);
});

test('a list that was put together elsewhere is taken as it is', () => {
  const items: HookItem[] = [hook, ['typed-stopper', { patience: 3 }]];
  train(items);
  addHook(items[0]);
  const some: HooksOption = items;
  train(some);
});

test('the names of built-in and declared hooks are offered for completion', () => {
  expectTypeOf<'early-stopping'>().toExtend<HookName>();
  expectTypeOf<Extract<HookName, 'checkpoint'>>().toEqualTypeOf<'checkpoint'>();
  expectTypeOf<Extract<HookName, 'typed-writer'>>().toEqualTypeOf<'typed-writer'>();
});
