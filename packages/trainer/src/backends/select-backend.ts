import { didYouMean, type HooklineError } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { type GpuSettings, lateGpuSettings, setGpuEnvironment } from '#host';
import { trainerError } from '../errors.js';
import { type Activated, activateBackend } from './activate-backend.js';
import { type BackendOption, parseBackendOption, type WasmSettings } from './backend-option.js';
import { CANDIDATES, type Candidate, NAMED_CANDIDATES } from './candidates.js';
import { prepareEmbeddedBackends } from './embedded.js';
import { objectionOfAuto, tryCandidate } from './try-candidate.js';

// At import, so that a model can be built as soon as the trainer is imported.
prepareEmbeddedBackends();

export interface BackendChoice {
  /** What `tf.getBackend()` says: `wasm`, `cpu`, `tensorflow`, ... */
  readonly name: string;
  readonly package: string;
  readonly device: 'cpu' | 'gpu';
  readonly reason: string;
  readonly tried: readonly { readonly candidate: string; readonly outcome: string }[];
}

/** Chooses a backend, makes it active in tfjs and checks with a small product that it works. */
export async function selectBackend(options: {
  backend?: BackendOption | undefined;
  /** The project in which native packages are looked for. */
  root: string;
  /** How many threads wasm takes where `backend` does not say; its own default when absent. */
  threads?: number | undefined;
}): Promise<BackendChoice> {
  const { name, gpu, ...given } = parseBackendOption(options.backend);
  const { root, threads } = options;
  const wasm = threads === undefined ? given.wasm : { threads, ...given.wasm };
  // A `tf.setBackend` that the program did not await has to finish first, or it would overtake the choice.
  await tf.ready();
  if (gpu) chooseCard(gpu);
  return name === 'auto' ? ((await keepActive()) ?? selectBest(root, wasm)) : selectNamed(name, root, wasm);
}

/**
 * Only the program, or an earlier run, can have activated a backend other than cpu and wasm: tfjs-node that it
 * imported, webgpu that it set up. Replacing it would be a surprise. An active cpu or wasm means nothing, because
 * importing the trainer activates cpu: `auto` looks for a better one. To use cpu although tfjs-node is installed, a
 * program says `backend: 'cpu'`.
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

async function selectBest(root: string, wasm: WasmSettings | undefined): Promise<BackendChoice> {
  const tried: { candidate: string; outcome: string }[] = [];
  for (const candidate of CANDIDATES) {
    const objection = await objectionOfAuto(candidate, root);
    const verdict = objection === undefined ? await tryCandidate(candidate, root, wasm) : { what: objection };
    if ('what' in verdict) {
      tried.push({ candidate: candidate.name, outcome: verdict.what });
      continue;
    }
    const others = tried.map((each) => `${each.candidate} is ${each.outcome}`);
    const best = withNote(`${candidate.name} is the best that works here`, verdict);
    const reason = [best, ...others].join('; ');
    return describe(candidate, reason, [...tried, { candidate: candidate.name, outcome: 'taken' }]);
  }
  const outcomes = tried.map(({ candidate, outcome }) => `  - ${candidate} is ${outcome}`).join('\n');
  throw trainerError(
    'BACKEND_UNAVAILABLE',
    `No tfjs backend works in this process:\n${outcomes}\nInstall @hookline/trainer again: it brings wasm and cpu.`,
  );
}

async function selectNamed(
  name: string,
  root: string,
  wasm: WasmSettings | undefined,
): Promise<BackendChoice> {
  const known = [...CANDIDATES, ...NAMED_CANDIDATES].find((each) => each.name === name);
  if (!known && tf.findBackendFactory(name) === null) throw unknownBackend(name);
  const candidate = known ?? registeredByProgram(name);
  const verdict = await tryCandidate(candidate, root, wasm);
  if ('what' in verdict) {
    throw trainerError(
      'BACKEND_UNAVAILABLE',
      `Backend "${name}" was asked for and cannot be used: it is ${verdict.what}\n${verdict.fix}`,
      verdict.cause,
    );
  }
  const reason = withNote(`${name} was asked for by name`, verdict);
  return describe(candidate, reason, [{ candidate: name, outcome: 'taken' }]);
}

function chooseCard(settings: GpuSettings): void {
  const late = tf.findBackendFactory('tensorflow') === null ? [] : lateGpuSettings(settings);
  if (late.length > 0) {
    throw trainerError(
      'BACKEND_UNAVAILABLE',
      `TensorFlow is loaded in this process, and reads which card to use only while it is loaded. Start the program with ${late.join(' ')}, or give these settings to its first run.`,
    );
  }
  setGpuEnvironment(settings);
}

function withNote(reason: string, { note }: Activated): string {
  return note === undefined ? reason : `${reason}, ${note}`;
}

function registeredByProgram(name: string): Candidate {
  return { name, package: 'registered by the program', backend: name, from: 'program' };
}

function unknownBackend(name: string): HooklineError {
  const names = [...CANDIDATES, ...NAMED_CANDIDATES].map((candidate) => candidate.name);
  const known = ['auto', ...names, ...tf.engine().backendNames()];
  return trainerError(
    'BACKEND_UNKNOWN',
    `There is no backend "${name}".${didYouMean(name, known)} Known here: ${[...new Set(known)].join(', ')}. ` +
      'To use another tfjs backend, import the package that registers it first.',
  );
}

function describe(candidate: Candidate, reason: string, tried: BackendChoice['tried']): BackendChoice {
  const name = candidate.backend;
  // The backend of tfjs-node knows which of the two packages it came from, and whether TensorFlow found a GPU.
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
