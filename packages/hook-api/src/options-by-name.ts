/**
 * The options of hooks by the name of the hook, so that the editor knows them where a hook is configured by name:
 * `hooks: { ema: { decay: 0.99 } }`. A hook package adds its own:
 *
 * ```ts
 * declare module '@hookline/hook-api' {
 *   interface HookOptionsByName {
 *     ema: EmaOptions;
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: hook packages fill it.
export interface HookOptionsByName {}

/** The options of the hook with this name, or any object when no package has declared them. */
export type OptionsOf<Name extends string> = Name extends keyof HookOptionsByName
  ? HookOptionsByName[Name]
  : object;
