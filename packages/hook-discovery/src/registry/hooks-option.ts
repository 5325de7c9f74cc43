import type { Hook, OptionsOf } from '@hookline/hook-api';
import type { BUILT_IN_PACKAGES } from '../built-in-packages.js';
import type { HookMaker } from '../discovery/make-hooks.js';

/**
 * Which hooks run. Installed hooks are on by themselves; this says what is different.
 *
 * A list adds hooks and orders them:
 * ```ts
 * hooks: [myHook, MyHookClass, [gradientNoise, { scale: 0.1 }], './hooks/mine.js#Mine', ['early-stopping', { patience: 3 }]]
 * ```
 * A map tunes hooks by name and leaves their order alone:
 * ```ts
 * hooks: { 'early-stopping': { patience: 3 }, progress: false, notify: true, './hooks/mine.js#Mine': true }
 * ```
 * Either way the built-in hooks keep their places: everything else runs before them.
 */
export type HooksOption = readonly HookItem[] | HookMap;

/** One place of the list: what runs, alone or with its options, `true` or `false`. What is false or missing is passed over. */
export type HookItem =
  | HookThing
  | readonly [what: HookThing, setting: HookOptions | boolean]
  | false
  | null
  | undefined;

/** A hook, a class or factory that makes one, or the name of one. */
export type HookThing = Hook | HookMaker | HookName;

/**
 * The name of an installed hook (`early-stopping`), of its package (`@hookline/hook-early-stopping`), or a
 * file of the project with the export to take (`./hooks/mine.js#Mine`, without `#` the default export).
 */
export type HookName = BuiltInHook | (string & {});

export type HookMap = { readonly [Name in BuiltInHook]?: HookSetting } & {
  readonly [name: string]: HookSetting;
};

/** `true`: on. `false`: off. Options: on, with these. A hook, class or factory: runs under this name. */
export type HookSetting = boolean | HookOptions | Hook | HookMaker | undefined;

/** The setting of a hook whose options are declared in `HookOptionsByName`. */
export type HookSettingOf<Name extends string> =
  | boolean
  | (OptionsOf<Name> & { name?: string })
  | Hook
  | HookMaker
  | undefined;

/** What the hook's package documents; checked when the hook is loaded. */
export type HookOptions = object;

type BuiltInHook = Extract<keyof typeof BUILT_IN_PACKAGES, string>;
