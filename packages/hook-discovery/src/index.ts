export {
  checkPeerRange,
  discoverCommands,
  discoverHooks,
  findProjectRoot,
  HOOK_API_VERSION,
  hookFile,
  howToGetCommand,
  importExport,
  importFile,
  isDiscoveryOff,
  loadCommand,
  realFile,
} from '#host';
export { BUILT_IN_PACKAGES, COMMANDS_OF_PACKAGES } from './built-in-packages.js';
export { type BundledPackage, provideHooks } from './bundled-hooks.js';
export type { CommandDiscovery } from './commands/discover-commands.js';
export type { DiscoveredCommand } from './commands/discovered-command.js';
export type { DiscoverOptions } from './discovery/discover-hooks.js';
export {
  type DependencyField,
  type DiscoveredPackage,
  type Discovery,
  whyOnlyNamed,
} from './discovery/discovery.js';
export { loadHook } from './discovery/load-hook.js';
export { lookedFrom } from './discovery/looked-from.js';
export type { HookMaker } from './discovery/make-hooks.js';
export { packageLabel } from './discovery/package-label.js';
export type { DiscoveryErrorCode } from './errors.js';
export {
  HookRegistry,
  type LoadedHook,
  type RegistryFollower,
  type RegistryOptions,
} from './registry/hook-registry.js';
export type {
  CheckedHooks,
  CheckedItem,
  HookItem,
  HookMap,
  HookName,
  HookOptions,
  HookSetting,
  HookSettingOf,
  HooksOption,
} from './registry/hooks-option.js';
export type { OptionProblem } from './registry/option-problems.js';
export type { RegistryEntry } from './registry/registry-entry.js';
