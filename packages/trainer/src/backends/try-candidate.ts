import * as tf from '@tensorflow/tfjs-core';
import { type Activated, activateBackend } from './activate-backend.js';
import type { WasmSettings } from './backend-option.js';
import type { Candidate } from './candidates.js';
import { importNative } from './import-native.js';
import { howToRebuild, locateNative } from './locate-native.js';
import { probeNative } from './probe-native.js';
import { firstLine, type Problem } from './problem.js';
import { isNoThreads } from './wasm-training.js';

/** Makes a candidate the active backend; where there is a problem, nothing has changed. */
export async function tryCandidate(
  candidate: Candidate,
  root: string,
  wasm?: WasmSettings,
): Promise<Problem | Activated> {
  if (candidate.from !== 'project') return activate(candidate, async () => {}, wasm);
  const located = locateNative(candidate.package, root);
  if ('problem' in located) return located.problem;
  // A native package that already runs in this process needs no probe.
  if (!isRegistered(candidate)) {
    const verdict = await probeNative(candidate.package, located.file);
    if ('what' in verdict) return verdict;
  }
  return activate(candidate, () => importNative(located.file));
}

async function activate(
  candidate: Candidate,
  load: () => Promise<void>,
  wasm?: WasmSettings,
): Promise<Problem | Activated> {
  const activeBefore = tf.getBackend();
  const wasRegistered = isRegistered(candidate);
  try {
    await load();
    return await activateBackend(candidate.backend, wasm);
  } catch (cause) {
    await tf.setBackend(activeBefore);
    // A native package registers its backend before its first operation fails. Left there, it would look like the
    // program's choice, and the other native package could not register.
    if (!wasRegistered && isRegistered(candidate)) tf.removeBackend(candidate.backend);
    const installed = candidate.from === 'project' ? 'installed, but ' : '';
    return { what: `${installed}not working: ${firstLine(cause)}`, fix: howToMend(candidate, cause), cause };
  }
}

function isRegistered({ backend }: Candidate): boolean {
  return tf.findBackendFactory(backend) !== null;
}

function howToMend(candidate: Candidate, cause: unknown): string {
  if (isNoThreads(cause)) return "To train with one thread where there are no others, use threads: 'auto'.";
  if (candidate.from === 'project') return howToRebuild(candidate.package);
  if (candidate.from === 'trainer') return `Install ${candidate.package} again.`;
  return `The program registered it: check how it does that, or use backend: 'auto'.`;
}
