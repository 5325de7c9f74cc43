import type { Tensor } from '@tensorflow/tfjs-core';
import { outsidePass, type PassTracker } from './forward-pass.js';
import { withGradientTap } from './gradient-tap.js';
import { replacements } from './replacement.js';
import type { TapHandlers, TapUse } from './tap-handlers.js';

/** A tap as the layer or point sees it that it is on. */
export interface PointTap {
  readonly path: string;
  readonly handlers: TapHandlers;
}

type Use = Omit<TapUse, 'path'>;

/** The inputs after every tap had its say, each on what the one before returned; the given list when none had. */
export function runInputTaps(
  tracker: PassTracker,
  taps: readonly PointTap[],
  use: Use,
  given: readonly Tensor[],
): readonly Tensor[] {
  let inputs = given;
  outsidePass(tracker, () => {
    for (const { path, handlers } of taps) {
      const returned = handlers.input?.({ path, ...use, input: inputs[0]!, inputs });
      if (returned !== undefined) inputs = replacements('input', path, inputs, returned);
    }
  });
  return inputs;
}

/** The same for the outputs. The gradient of a tap is that of the outputs as they leave it. */
export function runOutputTaps(
  tracker: PassTracker,
  taps: readonly PointTap[],
  use: Use,
  inputs: readonly Tensor[],
  given: readonly Tensor[],
): readonly Tensor[] {
  let outputs = given;
  outsidePass(tracker, () => {
    for (const { path, handlers } of taps) {
      const returned = handlers.output?.({ path, ...use, inputs, output: outputs[0]!, outputs });
      if (returned !== undefined) outputs = replacements('output', path, outputs, returned);
      if (!handlers.gradient) continue;
      const gradient = handlers.gradient.bind(handlers);
      outputs = withGradientTap(gradient, { path, ...use }, outputs);
    }
  });
  return outputs;
}
