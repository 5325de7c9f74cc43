// Where hooks come from in Node: the dependencies of the project. In a browser `#host` is browser.ts.
export { discoverCommands } from '../commands/discover-commands.js';
export { loadCommand } from '../commands/load-command.js';
export { howToGetCommand } from '../commands/missing-command.js';
export { discoverHooks } from '../discovery/discover-hooks.js';
export { isDiscoveryOff } from '../discovery/discovery-switch.js';
export { findProject } from '../discovery/find-project.js';
export { hookFile, importFromFile, importMaker } from '../discovery/hook-file.js';
export { importExport, realFile } from '../discovery/import-export.js';
export { importFile } from '../discovery/import-file.js';
export { checkPeerRange, HOOK_API_VERSION } from '../discovery/peer-range.js';
export { findProjectRoot } from '../discovery/project-root.js';
export { unknownHook } from '../discovery/unknown-hook.js';
