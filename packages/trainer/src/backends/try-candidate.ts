import * as tf from '@tensorflow/tfjs-core';
import { activateBackend } from './activate-backend.js';
import type { Candidate } from './candidates.js';
import { importNative } from './import-native.js';
import { howToRebuild, locateNative } from './locate-native.js';
import { probeNative } from './probe-native.js';
import { firstLine, type Problem } from './problem.js';

/** Makes a candidate the active backend: undefined when that worked, otherwise nothing has changed. */
export async function tryCandidate(candidate: Candidate, root: string): Promise<Problem | undefined> {
  if (candidate.from !== 'project') return activate(candidate, async () => {});
  const located = locateNative(candidate.package, root);
  if ('problem' in located) return located.problem;
  // A native package that runs in this process already needs no proof that it can.
  if (!isRegistered(candidate)) {
    const verdict = await probeNative(candidate.package, located.file);
    if ('what' in verdict) return verdict;
  }
  return activate(candidate, () => importNative(located.file));
}

async function activate(candidate: Candidate, load: () => Promise<void>): Promise<Problem | undefined> {
  const activeBefore = tf.getBackend();
  const wasRegistered = isRegistered(candidate);
  try {
    await load();
    await activateBackend(candidate.backend);
    return undefined;
  } catch (cause) {
    await tf.setBackend(activeBefore);
    // A native package registers its backend before its first operation fails. Left behind, it would pass for
    // one that the program chose, and the other native package could not register its own.
    if (!wasRegistered && isRegistered(candidate)) tf.removeBackend(candidate.backend);
    const installed = candidate.from === 'project' ? 'installed, but ' : '';
    return { what: `${installed}not working: ${firstLine(cause)}`, fix: howToMend(candidate), cause };
  }
}

function isRegistered({ backend }: Candidate): boolean {
  return tf.findBackendFactory(backend) !== null;
}

function howToMend(candidate: Candidate): string {
  if (candidate.from === 'project') return howToRebuild(candidate.package);
  if (candidate.from === 'trainer') return `Install ${candidate.package} again.`;
  return `The program registered it: see how it sets it up, or use backend: 'auto'.`;
}
