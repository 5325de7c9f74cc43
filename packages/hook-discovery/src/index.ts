export { BUILT_IN_PACKAGES, COMMANDS_OF_PACKAGES } from './built-in-packages.js';
export { type CommandDiscovery, discoverCommands } from './commands/discover-commands.js';
export type { DiscoveredCommand } from './commands/discovered-command.js';
export { loadCommand } from './commands/load-command.js';
export { howToGetCommand } from './commands/missing-command.js';
export { type DiscoverOptions, discoverHooks } from './discovery/discover-hooks.js';
export {
  type DependencyField,
  type DiscoveredPackage,
  type Discovery,
  whyOnlyNamed,
} from './discovery/discovery.js';
export { isDiscoveryOff } from './discovery/discovery-switch.js';
export { lookedFrom } from './discovery/find-project.js';
export { importExport, realFile } from './discovery/import-export.js';
export { importFile } from './discovery/import-file.js';
export { hookFile, loadHook, packageLabel } from './discovery/load-hook.js';
export type { HookMaker } from './discovery/make-hooks.js';
export { checkPeerRange, HOOK_API_VERSION } from './discovery/peer-range.js';
export { findProjectRoot } from './discovery/project-root.js';
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
