import { provideAccelerator } from '@hookline/numerics';
import { wasmAccelerator } from './accelerator/accelerator.js';
import { guardAllocation } from './backend/memory.js';
import { startedBackend } from './backend/wasm-backend.js';
import { type Enabled, enabledEntry, type Training } from './enabled.js';
import { speedUpEngine } from './engine/fast-engine.js';
import { registerFastGradients } from './gradients/fast-gradients.js';
import { explainSecondOrder } from './gradients/second-order.js';
import { registerKernels } from './kernels/register-kernels.js';
import { fuseLayers } from './layers/fuse-layers.js';
import { loadModule } from './module/load-module.js';
import { threadsOf, useThreads } from './threads/use-threads.js';

export interface TrainingOptions {
  /**
   * Multiply and add with one rounding where the machine can, which is faster; on when absent. With `false` the
   * results are the same on every machine.
   */
  fma?: boolean;
  /**
   * Compute dense, convolutional, normalising and recurrent layers of tfjs-layers in one operation each; on when
   * absent.
   */
  layers?: boolean;
  /** Take work off the engine of tfjs while it computes gradients on wasm; on when absent, for tfjs 4.22.0 only. */
  engine?: boolean;
  /**
   * Compute large operations with this many threads, or with `true` with as many as the machine has; one when absent.
   * In Node, and asked for before the wasm backend is started. The results are the same to the bit.
   */
  threads?: number | boolean;
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
  const threads = threadsOf(options.threads ?? before?.threads ?? 1);
  const isSame = before?.fma === fma && before.layers === layers && before.engine === engine;
  if (isSame && before.threads === threads) return before.training;
  const training = replace(before, () => entry);
  const entry: Enabled = { fma, layers, engine, threads, training };
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
  const entry = own();
  const backend = await startedBackend(entry.threads > 1);
  const module = await loadModule(entry.fma, backend.wasm.asm.memory);
  guardAllocation(backend);
  const { contextOf, unregister } = registerKernels(module);
  entry.contextOf = contextOf;
  const endThreads = await useThreads(contextOf(backend), module, entry.threads).catch((error) => {
    unregister();
    throw error;
  });
  const undoGradients = [registerFastGradients(), explainSecondOrder()];
  const undoLayers = entry.layers ? fuseLayers() : () => {};
  const takeBack = provideAccelerator('wasm', wasmAccelerator);
  const undoEngine = entry.engine ? speedUpEngine() : () => {};
  let isOn = true;
  return {
    fma: module.fma,
    threads: entry.threads,
    disable: () => {
      // Twice, or after another call has replaced it.
      if (!isOn) return;
      isOn = false;
      takeBack();
      undoLayers();
      undoEngine();
      for (const undo of undoGradients) undo();
      unregister();
      endThreads();
      if (enabledEntry() === entry) enabledEntry(undefined);
    },
  };
}
