import { didYouMean, HooklineError } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { activateBackend } from './activate-backend.js';
import { CANDIDATES, type Candidate, type CandidateName } from './candidates.js';
import { prepareEmbeddedBackends } from './embedded.js';
import { tryCandidate } from './try-candidate.js';

// At import: with the trainer imported, a model can be built at once.
prepareEmbeddedBackends();

/** `auto`, one of the candidates, or any backend that the program has registered with tfjs (`webgpu`). */
export type BackendName = 'auto' | CandidateName | (string & {});

export interface BackendChoice {
  /** What `tf.getBackend()` says: `wasm`, `cpu`, `tensorflow`, ... */
  readonly name: string;
  readonly package: string;
  readonly device: 'cpu' | 'gpu';
  readonly reason: string;
  readonly tried: readonly { readonly candidate: string; readonly outcome: string }[];
}

/** Chooses what computes, makes it active in tfjs and proves with a small product that it works. */
export async function selectBackend(options: {
  backend?: BackendName | undefined;
  /** The project whose dependencies the native packages are. */
  root: string;
}): Promise<BackendChoice> {
  const { backend = 'auto', root } = options;
  // A `tf.setBackend` that the program did not await is let finish first, lest it overtake the choice.
  await tf.ready();
  return backend === 'auto' ? ((await keepActive()) ?? selectBest(root)) : selectNamed(backend, root);
}

/**
 * An active backend that is neither cpu nor wasm can only have been chosen by the program (or by an earlier
 * run): tfjs-node that it imported itself, webgpu that it set up. Taking it away would be a surprise. An
 * active cpu or wasm says nothing, because importing the trainer makes cpu active, so `auto` looks for a
 * better one; a program that wants cpu although tfjs-node is installed says `backend: 'cpu'`.
 */
async function keepActive(): Promise<BackendChoice | undefined> {
  const active = tf.getBackend();
  if (CANDIDATES.some(({ backend, from }) => backend === active && from === 'trainer')) return undefined;
  try {
    await activateBackend(active);
  } catch {
    return undefined;
  }
  const reason = `${active} was already active in this process`;
  return describe(registeredByProgram(active), reason, [{ candidate: active, outcome: 'taken' }]);
}

async function selectBest(root: string): Promise<BackendChoice> {
  const tried: { candidate: string; outcome: string }[] = [];
  for (const candidate of CANDIDATES) {
    const problem = await tryCandidate(candidate, root);
    if (problem) {
      tried.push({ candidate: candidate.name, outcome: problem.what });
      continue;
    }
    const others = tried.map((each) => `${each.candidate} is ${each.outcome}`);
    const reason = [`${candidate.name} is the best that works here`, ...others].join('; ');
    return describe(candidate, reason, [...tried, { candidate: candidate.name, outcome: 'taken' }]);
  }
  const outcomes = tried.map(({ candidate, outcome }) => `  - ${candidate} is ${outcome}`).join('\n');
  throw new HooklineError(
    'BACKEND_UNAVAILABLE',
    `No tfjs backend works in this process:\n${outcomes}\nInstall @hookline/trainer again: it brings wasm and cpu.`,
  );
}

async function selectNamed(name: string, root: string): Promise<BackendChoice> {
  const candidate = CANDIDATES.find((each) => each.name === name) ?? registeredByProgram(name);
  if (candidate.from === 'program' && tf.findBackendFactory(name) === null) throw unknownBackend(name);
  const problem = await tryCandidate(candidate, root);
  if (problem) {
    throw new HooklineError(
      'BACKEND_UNAVAILABLE',
      `Backend "${name}" was asked for and cannot be used: it is ${problem.what}\n${problem.fix}`,
      { cause: problem.cause },
    );
  }
  return describe(candidate, `${name} was asked for by name`, [{ candidate: name, outcome: 'taken' }]);
}

function registeredByProgram(name: string): Candidate {
  return { name, package: 'registered by the program', backend: name, from: 'program' };
}

function unknownBackend(name: string): HooklineError {
  const known = ['auto', ...CANDIDATES.map((candidate) => candidate.name), ...tf.engine().backendNames()];
  return new HooklineError(
    'BACKEND_UNKNOWN',
    `There is no backend "${name}".${didYouMean(name, known)} Known here: ${[...new Set(known)].join(', ')}. ` +
      'Another tfjs backend can be named once the program has imported the package that registers it.',
  );
}

function describe(candidate: Candidate, reason: string, tried: BackendChoice['tried']): BackendChoice {
  const name = candidate.backend;
  // tfjs-node's backend knows which of the two packages it came from, and whether TensorFlow found a GPU.
  const flags = tf.engine().registry[name] as { isGPUPackage?: boolean; isUsingGpuDevice?: boolean };
  const { isGPUPackage = candidate.name === 'tfjs-node-gpu', isUsingGpuDevice = true } = flags;
  const native = isGPUPackage ? '@tensorflow/tfjs-node-gpu' : '@tensorflow/tfjs-node';
  const onGpu = name === 'tensorflow' ? isGPUPackage && isUsingGpuDevice : /^web(gl|gpu)$/.test(name);
  return {
    name,
    package: name === 'tensorflow' ? native : candidate.package,
    device: onGpu ? 'gpu' : 'cpu',
    reason,
    tried,
  };
}
