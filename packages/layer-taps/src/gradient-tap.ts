import { clone, customGrad, engine, type Tensor } from '@tensorflow/tfjs-core';
import { outsidePass, passTracker } from './forward-pass.js';
import { replacements } from './replacement.js';
import type { TapHandlers, TapUse } from './tap-handlers.js';

/**
 * The outputs with a listener on the way back: the same values, and a gradient that the handler sees and may replace.
 * Without a tape there is no way back, and the outputs are returned as they are.
 */
export function withGradientTap(
  handler: NonNullable<TapHandlers['gradient']>,
  use: TapUse,
  outputs: readonly Tensor[],
): readonly Tensor[] {
  if (engine().state.gradientDepth === 0) return outputs;
  return outputs.map((output, outputIndex) => {
    // Only float tensors have gradients.
    if (output.dtype !== 'float32') return output;
    const listening = customGrad((x) => ({
      value: clone(x as Tensor),
      gradFunc: (gradient: Tensor) => {
        const event = { ...use, gradient, outputIndex };
        const returned = outsidePass(passTracker(), () => handler(event));
        // A tensor of its own in any case: tfjs disposes gradients that it has added up.
        return returned === undefined
          ? clone(gradient)
          : replacements('gradient', use.path, [gradient], returned)[0]!;
      },
    }));
    return listening(output);
  });
}
