import * as tf from '@tensorflow/tfjs-core';
import { backward } from './backward.js';
import { type EngineInternals, engineInternals, isObserved } from './engine-state.js';
import { saveCheaply } from './save-tensors.js';
import { endScopesQuickly } from './scopes.js';

/** The version whose engine these overrides are written against; any other keeps its own. */
const KNOWN_VERSION = '4.22.0';

/**
 * Takes work off the engine of tfjs that a gradient on wasm does not need. Everything else, and every backend, profile
 * and gradient of a gradient, goes the way of tfjs. Returns what restores the engine.
 */
export function speedUpEngine(): () => void {
  if (tf.version_core !== KNOWN_VERSION) return () => {};
  const engine = engineInternals();
  if (Object.hasOwn(engine, 'gradients')) return () => {};
  const saves = saveCheaply();
  const undoScopes = endScopesQuickly();
  const stock = engine.gradients;
  engine.gradients = function (f, xs, dy, allowNoGradients = false) {
    // Part of another gradient: what has been saved so far may have to be differentiated.
    if (this.state.gradientDepth > 0) saves.link();
    const isPlain = this.state.gradientDepth === 0 && this.backendName === 'wasm' && !isObserved(this);
    if (!isPlain) return stock.call(this, f, xs, dy, allowNoGradients);
    tf.util.assert(xs.length > 0, () => 'gradients() received an empty list of xs.');
    if (dy && dy.dtype !== 'float32') throw new Error(`dy must have 'float32' dtype, but has '${dy.dtype}'`);
    const { y, tape } = forward(this, f);
    return backward(this, tape, y, xs, dy, allowNoGradients);
  };
  return () => {
    saves.undo();
    undoScopes();
    Reflect.deleteProperty(engine, 'gradients');
  };
}

function forward(engine: EngineInternals, f: () => tf.Tensor) {
  const { state } = engine;
  engine.startTape();
  try {
    const y = engine.tidy('forward', f);
    tf.util.assert(y instanceof tf.Tensor, () => 'The result y returned by f() must be a tensor.');
    return { y, tape: state.activeTape! };
  } catch (error) {
    // Stock leaves all that was saved so far behind.
    for (const { saved } of state.activeTape ?? []) tf.dispose([...saved]);
    throw error;
  } finally {
    engine.endTape();
    state.activeTape = null;
  }
}
