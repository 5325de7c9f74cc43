import { BACKENDS, ON_REQUEST } from '#host';

export type CandidateName = 'tfjs-node-gpu' | 'tfjs-node' | 'webgpu' | 'wasm' | 'webgl' | 'cpu';

export interface Candidate {
  readonly name: string;
  readonly package: string;
  /** The name under which the package registers itself with tfjs. */
  readonly backend: string;
  /** `project`: installed by the user; `trainer`: a dependency of the trainer; `program`: registered in code. */
  readonly from: 'project' | 'trainer' | 'program';
}

const KNOWN: readonly (Candidate & { readonly name: CandidateName })[] = [
  { name: 'tfjs-node-gpu', package: '@tensorflow/tfjs-node-gpu', backend: 'tensorflow', from: 'project' },
  { name: 'tfjs-node', package: '@tensorflow/tfjs-node', backend: 'tensorflow', from: 'project' },
  { name: 'webgpu', package: '@tensorflow/tfjs-backend-webgpu', backend: 'webgpu', from: 'program' },
  { name: 'wasm', package: '@tensorflow/tfjs-backend-wasm', backend: 'wasm', from: 'trainer' },
  { name: 'webgl', package: '@tensorflow/tfjs-backend-webgl', backend: 'webgl', from: 'program' },
  { name: 'cpu', package: '@tensorflow/tfjs-backend-cpu', backend: 'cpu', from: 'trainer' },
];

/** What `auto` tries on this host, best first. */
export const CANDIDATES: typeof KNOWN = BACKENDS.flatMap((name) =>
  KNOWN.filter((each) => each.name === name),
);

/** What this host finds in the project where it is asked for by name. */
export const NAMED_CANDIDATES: typeof KNOWN = ON_REQUEST.flatMap((name) =>
  KNOWN.filter((each) => each.name === name).map((each) => ({ ...each, from: 'project' as const })),
);
