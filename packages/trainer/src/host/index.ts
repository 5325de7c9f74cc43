// The one door to what differs between Node and a browser.
export { type GitState, loadedGitState } from './git-state.js';
export { createLogger } from './logger.js';
export { printable, printableJson, withoutControls } from './printable.js';
export { onProcessEnd, type ProcessEnd } from './process-end.js';
export { createRunId, makeRunFolder } from './run-folder.js';
export { shortPath } from './short-path.js';
export { exitCodeOf, reportExitCode, stopOnSignals } from './signals.js';
export { terminalStream } from './terminal-stream.js';
export { writeJson } from './write-json.js';
