import * as tf from '@tensorflow/tfjs-core';
import { type ProbeAnswer, type Problem, programFacts } from '#host';
import { CANDIDATES, type Candidate, NAMED_CANDIDATES } from './candidates.js';
import { prepareEmbeddedBackends } from './embedded.js';
import { noGpu, ON_CPU, probeCandidate, tryCandidate } from './try-candidate.js';

/** Which backends work in the project at `root`, which one `auto` takes, what that costs, and how to get a better one. */
export async function explainBackends(root: string): Promise<string> {
  prepareEmbeddedBackends();
  const { versions, platform } = programFacts();
  const lines = [`Backends for ${root} (Node v${versions.node}, ${platform})`, ''];
  let taken: string | undefined;
  for (const candidate of [...CANDIDATES, ...NAMED_CANDIDATES]) {
    const verdict = await examine(candidate, root);
    const isNamed = NAMED_CANDIDATES.includes(candidate as never);
    lines.push(line(candidate.name, 'what' in verdict ? verdict.what : described(candidate, verdict)));
    // Nothing after the one that `auto` takes needs fixing.
    if ('what' in verdict && (!taken || (isNamed && verdict.what !== 'not installed')))
      lines.push(line('', verdict.fix));
    if (!('what' in verdict) && !isNamed && !objection(candidate, verdict)) taken ??= candidate.name;
  }
  const conclusion = taken
    ? `A run with backend: 'auto' takes ${taken}. To use another one, name it: backend: '<name>'.`
    : 'No backend works: install @hookline/trainer again, it brings wasm and cpu.';
  return [...lines, '', conclusion].join('\n');
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(14)} ${text}`;
}

async function examine(candidate: Candidate, root: string): Promise<Problem | ProbeAnswer> {
  if (candidate.from === 'project') return probeCandidate(candidate, root, true);
  const activeBefore = tf.getBackend();
  // Asked for by name, so that it is said why there are none.
  const verdict = await tryCandidate(candidate, root, { native: true });
  await tf.setBackend(activeBefore);
  return 'what' in verdict ? verdict : { device: 'cpu', seconds: 0, why: verdict.note };
}

/** What works, on what, and what it costs to start. */
function described(candidate: Candidate, answer: ProbeAnswer): string {
  const works = `works on the ${answer.device}`;
  if (candidate.from !== 'project') return answer.why === undefined ? works : `${works}, ${answer.why}`;
  const library = answer.library === undefined ? '' : ` (${libraryName(candidate)}${answer.library})`;
  const start = `starts in ${answer.seconds.toFixed(1)} s`;
  const request = `backend: '${candidate.name}' takes it`;
  if (candidate.backend === 'webgpu') return `${works}${library}, ${start}; ${request}`;
  const against = objection(candidate, answer)?.replace('installed, but ', '');
  return `${works}${library}, ${start}${against === undefined ? '' : `; it ${against}. ${request}`}`;
}

function libraryName({ backend }: Candidate): string {
  return backend === 'tensorflow' ? 'TensorFlow ' : '';
}

/** Why `auto` passes over one that works. */
function objection(candidate: Candidate, answer: ProbeAnswer): string | undefined {
  if (candidate.backend !== 'tensorflow' || answer.device === 'gpu') return undefined;
  return candidate.name === 'tfjs-node' ? ON_CPU : noGpu(answer);
}
