// Names that fragments in READMEs and docs use without declaring them. A whole program imports what it needs, which
// hides these.
import type { HookContext } from '@hookline/hook-api';
import type * as core from '@tensorflow/tfjs-core';
import type { Scalar, Tensor } from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';

declare global {
  const tf: typeof core;
  namespace tf {
    type Tensor = core.Tensor;
  }
  const ctx: HookContext;
  const model: LayersModel;
  const makeModel: () => LayersModel;
  const x: Tensor;
  const xs: Tensor;
  const ys: Tensor;
  const w1: Tensor;
  const w2: Tensor;

  // The first lines of the page import these.
  const Trainer: typeof import('@hookline/trainer').Trainer;
  const enableTraining: typeof import('@hookline/backend-wasm').enableTraining;
  const withTaps: typeof import('@hookline/layer-taps').withTaps;
  const forward: typeof import('@hookline/layer-taps').forward;

  // Of the recipes.
  const averageLoss: typeof import('@hookline/example-recipes/src/average-loss.js').averageLoss;
  const HighLossBrake: typeof import('@hookline/example-recipes/src/high-loss-brake.js').HighLossBrake;
  const plateauDetector: typeof import('@hookline/example-recipes/src/plateau-detector.js').plateauDetector;
  const trainer: InstanceType<typeof import('@hookline/trainer').Trainer>;

  // Of the transformer's research.
  const runWithCache: typeof import('@hookline/hook-activations').runWithCache;
  const ablationTable: typeof import('@hookline/hook-activations').ablationTable;
  const patchingTable: typeof import('@hookline/hook-activations').patchingTable;
  const clean: Tensor;
  const corrupted: Tensor;
  const accuracy: (output: Tensor | Tensor[]) => Scalar;
  const probability: (output: Tensor | Tensor[]) => Scalar;
}
