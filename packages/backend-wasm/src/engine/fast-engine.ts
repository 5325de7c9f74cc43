import * as tf from '@tensorflow/tfjs-core';
import { backward } from './backward.js';
import { dispatchQuickly } from './dispatch.js';
import { type EngineInternals, engineInternals, isObserved, override } from './engine-state.js';
import { type CheapSaves, saveCheaply } from './save-tensors.js';
import { endScopesQuickly } from './scopes.js';

/** The version that these overrides are written against; with any other, the engine stays as it is. */
const KNOWN_VERSION = '4.22.0';

/**
 * Skips work of the tfjs engine that a gradient on wasm does not need. Other backends, profiles and gradients of
 * gradients take the path of tfjs. Returns how to restore the engine.
 */
export function speedUpEngine(): () => void {
  if (tf.version_core !== KNOWN_VERSION) return () => {};
  const engine = engineInternals();
  if (Object.hasOwn(engine, 'gradients')) return () => {};
  const saves = saveCheaply();
  const undo = [saves.undo, endScopesQuickly(), dispatchQuickly()];
  const stock = engine.gradients;
  const restore = override(
    'gradients',
    function (this: EngineInternals, f, xs, dy, allowNoGradients = false) {
      // Part of another gradient: the tensors saved so far may have to be differentiated.
      if (this.state.gradientDepth > 0) saves.link();
      const isPlain = this.state.gradientDepth === 0 && this.backendName === 'wasm' && !isObserved(this);
      if (!isPlain) return stock.call(this, f, xs, dy, allowNoGradients);
      tf.util.assert(xs.length > 0, () => 'gradients() received an empty list of xs.');
      if (dy && dy.dtype !== 'float32')
        throw new Error(`dy must have 'float32' dtype, but has '${dy.dtype}'`);
      const { y, tape } = forward(this, saves, f);
      return backward(this, tape, y, xs, dy, allowNoGradients);
    },
  );
  return () => {
    for (const undoOne of [restore, ...undo]) undoOne();
  };
}

function forward(engine: EngineInternals, saves: CheapSaves, f: () => tf.Tensor) {
  const { state } = engine;
  engine.startTape();
  try {
    const y = engine.tidy('forward', f);
    tf.util.assert(y instanceof tf.Tensor, () => 'The result y returned by f() must be a tensor.');
    return { y, tape: state.activeTape! };
  } catch (error) {
    // The engine of tfjs would leak all that was saved so far.
    saves.drop();
    throw error;
  } finally {
    engine.endTape();
    state.activeTape = null;
  }
}
