import * as tf from '@tensorflow/tfjs-core';
import { type EngineInternals, engineInternals, override } from './engine-state.js';

/**
 * Ends a scope that returns one tensor or nothing, as nearly all do, without the two sets and the walk through
 * containers that the general case needs.
 */
export function endScopesQuickly(): () => void {
  const stock = engineInternals().endScope;
  return override('endScope', function (this: EngineInternals, result) {
    const isTensor = result instanceof tf.Tensor;
    if (!isTensor && result != null) return stock.call(this, result);
    const { state } = this;
    const scope = state.activeScope!;
    const kept = isTensor ? result.id : -1;
    for (let i = 0; i < scope.track.length; i++) {
      const tensor = scope.track[i]!;
      if (!tensor.kept && tensor.id !== kept) tensor.dispose();
    }
    state.scopeStack.pop();
    state.activeScope = state.scopeStack.at(-1) ?? null;
    // Only a tensor that was made in this scope moves to the outer one.
    if (isTensor && !result.kept && scopeOf(result) === scope.id) this.track(result);
  });
}

function scopeOf(tensor: tf.Tensor): number {
  return (tensor as unknown as { scopeId: number }).scopeId;
}
