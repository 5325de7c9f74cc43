import { startedBackend } from './backend.js';
import { type Enabled, enabledEntry, type Training } from './enabled.js';
import { speedUpEngine } from './engine/fast-engine.js';
import { registerFastGradients } from './gradients/fast-gradients.js';
import { explainSecondOrder } from './gradients/second-order.js';
import { fuseLayers } from './layers/fuse-layers.js';
import { guardAllocation } from './memory.js';
import { loadModule } from './module/load-module.js';
import { registerKernels } from './register-kernels.js';

export interface TrainingOptions {
  /**
   * Multiply and add with one rounding where the machine can, which is faster; on when absent. With `false` the
   * results are the same on every machine.
   */
  fma?: boolean;
  /**
   * Compute dense, convolutional, normalising and recurrent layers of tfjs-layers in one operation each; on when
   * absent. tfjs-layers has to be imported before, or this called again after.
   */
  layers?: boolean;
  /** Take work off the engine of tfjs while it computes gradients on wasm; on when absent, for tfjs 4.22.0 only. */
  engine?: boolean;
}

/**
 * Makes the wasm backend of tfjs able to train, in the whole process: adds the kernels it lacks, and replaces those it
 * has wrong or slow. Starts the backend when it is not running, and leaves active whichever is. A second call changes
 * nothing, unless it asks for something else.
 */
export async function enableTraining(options: TrainingOptions = {}): Promise<Training> {
  const before = enabledEntry();
  const {
    fma = before?.fma ?? true,
    layers = before?.layers ?? true,
    engine = before?.engine ?? true,
  } = options;
  if (before?.fma === fma && before.layers === layers && before.engine === engine) {
    if (layers) before.undoLayers.push(fuseLayers());
    return before.training;
  }
  const entry: Enabled = { fma, layers, engine, undoLayers: [], training: replace(before, () => entry) };
  enabledEntry(entry);
  try {
    return await entry.training;
  } catch (error) {
    if (enabledEntry() === entry) enabledEntry(undefined);
    throw error;
  }
}

async function replace(before: Enabled | undefined, own: () => Enabled): Promise<Training> {
  (await before?.training)?.disable();
  const backend = await startedBackend();
  const entry = own();
  const { compiled, fma } = await loadModule(entry.fma);
  guardAllocation(backend);
  const { contextOf, unregister } = registerKernels(compiled);
  entry.contextOf = contextOf;
  const undoGradients = [registerFastGradients(), explainSecondOrder()];
  if (entry.layers) entry.undoLayers.push(fuseLayers());
  const undoEngine = entry.engine ? speedUpEngine() : () => {};
  return {
    fma,
    disable: () => {
      for (const undo of entry.undoLayers.splice(0)) undo();
      undoEngine();
      for (const undo of undoGradients) undo();
      unregister();
      if (enabledEntry() === entry) enabledEntry(undefined);
    },
  };
}
