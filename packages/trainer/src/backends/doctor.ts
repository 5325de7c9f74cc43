import * as tf from '@tensorflow/tfjs-core';
import { CANDIDATES, type Candidate } from './candidates.js';
import { prepareEmbeddedBackends } from './embedded.js';
import { locateNative } from './locate-native.js';
import { probeNative } from './probe-native.js';
import type { Problem } from './problem.js';
import { tryCandidate } from './try-candidate.js';

/** Which backends work in the project at `root`, which one `auto` takes, and how to get a better one. */
export async function explainBackends(root: string): Promise<string> {
  prepareEmbeddedBackends();
  const lines = [`Backends for ${root} (Node ${process.version}, ${process.platform} ${process.arch})`, ''];
  let taken: string | undefined;
  for (const candidate of CANDIDATES) {
    const verdict = await examine(candidate, root);
    const works = !('what' in verdict);
    lines.push(`  ${candidate.name.padEnd(14)} ${works ? `works on the ${verdict.device}` : verdict.what}`);
    // Nothing after the one that `auto` takes needs fixing.
    if (!works && !taken) lines.push(`  ${' '.repeat(14)} ${verdict.fix}`);
    if (works) taken ??= candidate.name;
  }
  const conclusion = taken
    ? `A run with backend: 'auto' takes ${taken}. To use another one, name it: backend: '<name>'.`
    : 'No backend works: install @hookline/trainer again, it brings wasm and cpu.';
  return [...lines, '', conclusion].join('\n');
}

async function examine(candidate: Candidate, root: string): Promise<Problem | { device: string }> {
  if (candidate.from === 'project') {
    const located = locateNative(candidate.package, root);
    return 'problem' in located ? located.problem : probeNative(candidate.package, located.file);
  }
  const activeBefore = tf.getBackend();
  const verdict = await tryCandidate(candidate, root);
  await tf.setBackend(activeBefore);
  return 'what' in verdict ? verdict : { device: 'cpu' };
}
