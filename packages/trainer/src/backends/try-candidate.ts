import * as tf from '@tensorflow/tfjs-core';
import {
  firstLine,
  howToRebuild,
  importNative,
  importWebgpu,
  locateNative,
  type ProbeAnswer,
  type Problem,
  probeNative,
  probeWebgpu,
  WASM_ADVICE,
} from '#host';
import { type Activated, activateBackend } from './activate-backend.js';
import type { WasmSettings } from './backend-option.js';
import type { Candidate } from './candidates.js';
import { isNoThreads } from './wasm-training.js';

/** Makes a candidate the active backend; where there is a problem, nothing has changed. */
export async function tryCandidate(
  candidate: Candidate,
  root: string,
  wasm?: WasmSettings,
): Promise<Problem | Activated> {
  if (candidate.from === 'program' && !isRegistered(candidate)) return notImported(candidate);
  if (candidate.from !== 'project') return activate(candidate, async () => {}, wasm);
  // A package that already runs in this process needs no probe.
  if (isRegistered(candidate)) return activate(candidate, async () => {});
  const verdict = await probeCandidate(candidate, root);
  return 'what' in verdict ? verdict : activate(candidate, () => importCandidate(candidate, root));
}

/** Whether a package of the project works, tried in another process; `fresh` asks again what is known. */
export async function probeCandidate(
  candidate: Candidate,
  root: string,
  fresh = false,
): Promise<Problem | ProbeAnswer> {
  if (candidate.backend === 'webgpu') return probeWebgpu(root);
  const located = locateNative(candidate.package, root);
  return 'problem' in located ? located.problem : probeNative(candidate.package, located.file, fresh);
}

/**
 * Why `auto` does not take a candidate that may well work. On the CPU TensorFlow.js calls TensorFlow for each small operation, and
 * trains 2 to 20 times slower than wasm here; it takes seconds to start as well. So it has to have a GPU.
 */
export async function objectionOfAuto(candidate: Candidate, root: string): Promise<string | undefined> {
  if (candidate.backend !== 'tensorflow' || isRegistered(candidate)) return undefined;
  const located = locateNative(candidate.package, root);
  if ('problem' in located) return undefined;
  if (candidate.name === 'tfjs-node') return ON_CPU;
  const verdict = await probeNative(candidate.package, located.file);
  return 'what' in verdict || verdict.device === 'gpu' ? undefined : noGpu(verdict);
}

/** The CPU is all that it has. */
export const ON_CPU = 'installed, but computes on the CPU, where wasm is 2 to 20 times as fast';

/** It has no GPU here. */
export function noGpu({ why }: ProbeAnswer): string {
  return `installed, but finds no GPU${why === undefined ? '' : ` (${why})`}, and on the CPU wasm is 2 to 20 times as fast`;
}

async function importCandidate(candidate: Candidate, root: string): Promise<void> {
  if (candidate.backend === 'webgpu') return importWebgpu(root);
  const located = locateNative(candidate.package, root);
  if ('file' in located) await importNative(located.file);
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
    // Of a backend by this name that is not tfjs's, it would set up kernels that it cannot have.
    if (tf.getBackend() !== activeBefore) await tf.setBackend(activeBefore);
    // A native package registers its backend before its first operation fails. Left there, it would look like the
    // program's choice, and the other native package could not register.
    if (!wasRegistered && isRegistered(candidate)) tf.removeBackend(candidate.backend);
    const installed = candidate.from === 'project' ? 'installed, but ' : '';
    return { what: `${installed}not working: ${firstLine(cause)}`, fix: howToMend(candidate, cause), cause };
  }
}

function notImported({ package: name }: Candidate): Problem {
  return { what: 'not imported', fix: `Import its package before you train: import '${name}'.` };
}

function isRegistered({ backend }: Candidate): boolean {
  return tf.findBackendFactory(backend) !== null;
}

function howToMend(candidate: Candidate, cause: unknown): string {
  if (isNoThreads(cause))
    return "Or use threads: 'auto', which trains with one thread where no others can be started.";
  if (candidate.from === 'project') return howToRebuild(candidate.package);
  if (candidate.name === 'wasm') return WASM_ADVICE;
  if (candidate.from === 'trainer') return `Install ${candidate.package} again.`;
  return `The program registered it: check how it does that, or use backend: 'auto'.`;
}
