// The door to Node. `#host` is this file there, and browser.ts in a page: package.json says so.
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import type { ProgramFacts, RunFolder, ValueKinds } from './contract.js';
import { makeRunFolder } from './node/run-folder.js';
import { writeJson } from './node/write-json.js';

export type {
  AsyncScope,
  GitState,
  GpuSettings,
  ProbeAnswer,
  ProcessEnd,
  ProgramFacts,
  RunFolder,
  ValueKinds,
  Whereabouts,
} from './contract.js';
export { exitCodeOf } from './exit-code.js';
export { lateGpuSettings, setGpuEnvironment } from './native/gpu-settings.js';
export { importNative } from './native/import-native.js';
export { howToRebuild, locateNative } from './native/locate-native.js';
export { probeNative } from './native/probe-native.js';
export { importWebgpu, probeWebgpu } from './native/webgpu.js';
export { createAsyncScope } from './node/async-scope.js';
export { loadedGitState } from './node/git-state.js';
export { createLogger } from './node/logger.js';
export { tolerateLostOutput } from './node/lost-output.js';
export { onIdleEnd, onProcessEnd } from './node/process-end.js';
export { createRunId } from './node/run-folder.js';
export { shortPath } from './node/short-path.js';
export { reportExitCode, stopOnSignals } from './node/signals.js';
export { fromBytes, toBytes } from './node/structured-bytes.js';
export { terminalStream } from './node/terminal-stream.js';
export { printable, printableJson, withoutControls } from './printable.js';
export { firstLine, type Problem } from './problem.js';
export { localRanks } from './ranks/local-ranks.js';

/** What `auto` tries, best first. */
export const BACKENDS: readonly string[] = ['tfjs-node-gpu', 'tfjs-node', 'wasm', 'cpu'];

/** What is tried only where it is asked for by name: what webgpu computes depends on the driver. */
export const ON_REQUEST: readonly string[] = ['webgpu'];

/** How long the loop may hold the event loop: signals, timers, workers and webhooks must live. */
export const LONGEST_HOLD_MS: number = 50;

export const valueKinds: ValueKinds = types;

/** Calls back when everything that waits for the event loop has had its turn. */
export function afterEvents(callback: () => void): void {
  setImmediate(callback);
}

export function openRunFolder(runsDir: string): RunFolder {
  const id = makeRunFolder(runsDir);
  return { id, write: (record) => writeJson(join(runsDir, id, 'run.json'), record) };
}

/** What the shell or a launcher has set. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function programFacts(): ProgramFacts {
  const { argv, versions, platform, arch } = process;
  return { argv: argv.slice(2), versions: { node: versions.node }, platform: `${platform} ${arch}` };
}

/** For settings from outside of the program, for which there is no logger. */
export function warnUser(message: string): void {
  process.emitWarning(message);
}

/**
 * The folder of tfjs's .wasm files. By default tfjs looks for them beside the running script, which is wrong if that is a
 * bundle. Undefined when it cannot be found: bundled without node_modules.
 */
export function wasmFolder(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm')) + sep;
  } catch {
    return undefined;
  }
}

/** How to get wasm to work where it does not. */
export const WASM_ADVICE: string = 'Install @tensorflow/tfjs-backend-wasm again.';

/** The file of a package that the project at `root` depends on; throws when there is none. */
export function resolveFrom(root: string, packageName: string): string {
  return createRequire(join(root, 'package.json')).resolve(packageName);
}

export function importFile(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href);
}
