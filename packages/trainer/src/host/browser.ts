// The door to a browser: a page or a worker. `#host` is this file there, and node.ts in Node: package.json says so.

import type { HookLogger } from '@hookline/hook-api';
import { userAgent } from '@hookline/host';
import { trainerError } from '../errors.js';
import type {
  GitState,
  GpuSettings,
  ProbeAnswer,
  ProcessEnd,
  ProgramFacts,
  ValueKinds,
  Whereabouts,
} from './contract.js';
import type { Problem } from './problem.js';

export { createAsyncScope } from './browser/async-scope.js';
export { createLogger, terminalStream } from './browser/logger.js';
export { createRunId, openRunFolder } from './browser/run-folder.js';
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
export { printable, printableJson, withoutControls } from './printable.js';
export { firstLine, type Problem } from './problem.js';

/**
 * What `auto` tries, best first. The packages of webgpu and webgl count only where the program has imported them: what
 * they compute is not the same to the bit everywhere, and wasm is.
 */
export const BACKENDS: readonly string[] = ['webgpu', 'wasm', 'webgl', 'cpu'];

/** What is tried only where it is asked for by name. */
export const ON_REQUEST: readonly string[] = [];

/** How long the loop may hold the event loop: less than the time of a frame. */
export const LONGEST_HOLD_MS: number = 12;

export const valueKinds: ValueKinds = {
  isAnyArrayBuffer: (value): value is ArrayBufferLike => /^(Shared)?ArrayBuffer$/.test(tagOf(value)),
  isDate: (value): value is Date => tagOf(value) === 'Date',
  isMap: (value): value is Map<unknown, unknown> => tagOf(value) === 'Map',
  isNativeError: (value): value is Error => tagOf(value) === 'Error',
  isRegExp: (value): value is RegExp => tagOf(value) === 'RegExp',
  isSet: (value): value is Set<unknown> => tagOf(value) === 'Set',
};

/** Calls back when everything that waits for the event loop has had its turn. A timer would wait 4 ms. */
export function afterEvents(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    callback();
  });
  port1.start();
  port2.postMessage(undefined);
}

export function environment(): Readonly<Record<string, string | undefined>> {
  return {};
}

export function programFacts(): ProgramFacts {
  return { argv: [], versions: {}, platform: userAgent() };
}

export function loadedGitState(_folder: string): GitState {
  return { commit: 'not known in a browser', dirty: null, diff: null };
}

/** A page that is closed is asked nothing: what was saved until then is what is left. */
export function onProcessEnd(_onEnd: (end: ProcessEnd) => void): () => void {
  return () => {};
}

export function onIdleEnd(_what: string, _logger: HookLogger, _find: () => Whereabouts): () => void {
  return () => {};
}

/** A page's console is never lost. */
export function tolerateLostOutput(): () => void {
  return () => {};
}

export function stopOnSignals(_stop: (reason: string) => void, _logger: HookLogger): () => void {
  return () => {};
}

export function reportExitCode(_code: number): void {}

export function shortPath(path: string): string {
  return path;
}

export function warnUser(message: string): void {
  console.warn(message);
}

/** The page says where they are, with `setWasmPaths`. */
export function wasmFolder(): string | undefined {
  return undefined;
}

export const WASM_ADVICE: string =
  "Serve the .wasm files of @tensorflow/tfjs-backend-wasm beside your page, and say where they are: setWasmPaths('/tfjs/').";

export function resolveFrom(_root: string, packageName: string): string {
  throw trainerError('HOST', `${packageName} is for Node, and this is a browser.`);
}

export async function importFile(file: string): Promise<unknown> {
  throw trainerError('HOST', `${file} cannot be imported by its path in a browser.`);
}

/** A page has no processes. */
export function localRanks(_options: { processes: number; timeout: number }): never {
  throw trainerError(
    'HOST',
    "Several processes are for Node, and this is a browser. Use strategy: 'simple'.",
  );
}

export function toBytes(_value: unknown): Uint8Array {
  return localRanks({ processes: 1, timeout: 0 });
}

export function fromBytes(_bytes: Uint8Array): unknown {
  return localRanks({ processes: 1, timeout: 0 });
}

export function locateNative(packageName: string, _root: string): { file: string } | { problem: Problem } {
  return {
    problem: {
      what: 'for Node, and this is a browser',
      fix: `Use backend: 'wasm' instead of ${packageName}.`,
    },
  };
}

export async function probeNative(
  packageName: string,
  _file: string,
  _fresh?: boolean,
): Promise<Problem | ProbeAnswer> {
  return (locateNative(packageName, '') as { problem: Problem }).problem;
}

/** A page imports the package itself. */
export async function probeWebgpu(_root: string): Promise<Problem | ProbeAnswer> {
  return {
    what: 'not imported',
    fix: "Import its package before you train: import '@tensorflow/tfjs-backend-webgpu'.",
  };
}

/** A page has no environment, and no packages that read it. */
export function setGpuEnvironment(_settings?: GpuSettings): void {}

export function lateGpuSettings(_settings: GpuSettings): string[] {
  return [];
}

export async function importWebgpu(_root: string): Promise<void> {}

export const importNative = async (file: string): Promise<void> => {
  await importFile(file);
};

export function howToRebuild(_packageName: string): string {
  return "Use backend: 'wasm'.";
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
