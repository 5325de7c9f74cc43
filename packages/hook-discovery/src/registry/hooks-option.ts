import type { Hook, HookOptionsByName, OptionsOf } from '@hookline/hook-api';
import type { BuiltInHook } from '../built-in-packages.js';
import type { HookMaker } from '../discovery/make-hooks.js';

/**
 * Which hooks run. Installed hooks are on by themselves; this says what is different.
 *
 * A list adds hooks and orders them. To run an installed hook several times, name it several times:
 * ```ts
 * hooks: [myHook, MyHookClass, [gradientNoise, { scale: 0.1 }], './hooks/mine.js#Mine',
 *   ['early-stopping', { patience: 3 }], ['early-stopping', { name: 'stop-on-accuracy', monitor: 'val/accuracy', mode: 'max' }]]
 * ```
 * A map tunes hooks by name and leaves their order alone:
 * ```ts
 * hooks: { 'early-stopping': { patience: 3 }, progress: false, notify: true, './hooks/mine.js#Mine': true }
 * ```
 * Either way the built-in hooks keep their places: everything else runs before them.
 */
export type HooksOption = readonly HookItem[] | HookMap;

/** One place of the list: what runs, alone or with its options, `true` or `false`. What is false or missing is skipped. */
export type HookItem =
  | HookThing
  | readonly [what: HookThing, setting: HookOptions | boolean]
  | {
      readonly [Name in DeclaredHook]: readonly [what: Name, setting: NamedOptions<Name> | boolean];
    }[DeclaredHook]
  | false
  | null
  | undefined;

/** A hook, a class or factory that makes one, or the name of one. */
export type HookThing = Hook | HookMaker | HookName;

/**
 * The name of an installed hook (`early-stopping`), of its package (`@hookline/hook-early-stopping`), or a
 * file of the project with the export to take (`./hooks/mine.js#Mine`, without `#` the default export).
 */
export type HookName = BuiltInHook | DeclaredHook | (string & {});

export type HookMap = { readonly [Name in BuiltInHook | DeclaredHook]?: HookSettingOf<Name> } & {
  readonly [name: string]: HookSetting;
};

/** `true`: on. `false`: off. Options: on, with these. A hook, class or factory: runs under this name. */
export type HookSetting = boolean | HookOptions | Hook | HookMaker | undefined;

/** The same for one hook, whose options are known when its package declares them in `HookOptionsByName`. */
export type HookSettingOf<Name extends string> = boolean | NamedOptions<Name> | Hook | HookMaker | undefined;

/** What the hook's package documents; checked when the hook is loaded. */
export type HookOptions = object;

/** The options of a hook, and the name under which this instance of it runs. */
export type NamedOptions<Name extends string> = Name extends DeclaredHook
  ? OptionsOf<Name> & { name?: string }
  : HookOptions;

/** The hooks whose packages declare the types of their options. */
type DeclaredHook = Extract<keyof HookOptionsByName, string>;

/**
 * The list of hooks as it must be for its options to be right. Only for function and class parameters: a type alone
 * cannot say "any name but these", so that `HooksOption` lets wrong options in a list pass.
 *
 * @example declare function train<const Hooks extends HooksOption>(hooks: Hooks & CheckedHooks<Hooks>): void;
 */
export type CheckedHooks<Hooks> = Hooks extends readonly unknown[]
  ? { readonly [Index in keyof Hooks]: CheckedItem<Hooks[Index]> }
  : unknown;

/** The same for one place of the list. */
export type CheckedItem<Item> = Item extends readonly [
  infer Name extends DeclaredHook,
  infer Setting extends object,
]
  ? readonly [
      what: Name,
      setting: NamedOptions<Name> & Mistakes<Name, Exclude<keyof Setting, keyof NamedOptions<Name>>>,
    ]
  : // Not the item again: the compiler would have to intersect every hook with itself.
    unknown;

/** Options that the hook does not have, each with a type that nothing has: the compiler shows it as the reason. */
type Mistakes<Name extends string, Keys extends PropertyKey> = {
  readonly [Key in Keys]: `${Name} has no option "${Key & string}"`;
};
