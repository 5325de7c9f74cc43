import type { Hook, HookFactory } from '@hookline/hook-api';
import { expectTypeOf, test } from 'vitest';
import type { HooksOption } from '../../src/registry/hooks-option.js';

declare const hook: Hook;
declare const factory: HookFactory<{ patience?: number }>;
declare const needy: (options: { url: string }) => Hook[];
declare class Watcher {
  readonly name: string;
  constructor(options: { path: string });
  onForward(): void;
}
interface Options {
  patience: number;
}
declare const options: Options;

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
});

test('hooks takes a map from name to switch, options, hook, class or factory', () => {
  const map = { progress: false, 'early-stopping': options, mine: hook, watcher: Watcher, needy };
  expectTypeOf(map).toExtend<HooksOption>();
  expectTypeOf<{ progress: 3 }>().not.toExtend<HooksOption>();
  expectTypeOf<{ progress: 'off' }>().not.toExtend<HooksOption>();
});
