export type CandidateName = 'tfjs-node-gpu' | 'tfjs-node' | 'wasm' | 'cpu';

export interface Candidate {
  readonly name: string;
  readonly package: string;
  /** The name under which the package registers itself with tfjs. */
  readonly backend: string;
  /** `project`: installed by the user; `trainer`: a dependency of the trainer; `program`: registered in code. */
  readonly from: 'project' | 'trainer' | 'program';
}

/** What `auto` tries, best first. */
export const CANDIDATES: readonly (Candidate & { readonly name: CandidateName })[] = [
  { name: 'tfjs-node-gpu', package: '@tensorflow/tfjs-node-gpu', backend: 'tensorflow', from: 'project' },
  { name: 'tfjs-node', package: '@tensorflow/tfjs-node', backend: 'tensorflow', from: 'project' },
  { name: 'wasm', package: '@tensorflow/tfjs-backend-wasm', backend: 'wasm', from: 'trainer' },
  { name: 'cpu', package: '@tensorflow/tfjs-backend-cpu', backend: 'cpu', from: 'trainer' },
];
