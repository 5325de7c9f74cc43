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
   * Multiply and add with one rounding where the machine can, which is faster; true when absent. With `false` the
   * results are the same on every machine.
   */
  fma?: boolean;
  /**
   * Compute dense, convolutional, normalising and recurrent layers of tfjs-layers in one operation each; true when
   * absent.
   */
  layers?: boolean;
  /**
   * Skip work of the tfjs engine that gradients on wasm do not need; true when absent. Has an effect with tfjs 4.22.0
   * only.
   */
  engine?: boolean;
  /**
   * Compute large operations with this many threads; 1 when absent. Needs Node, and has to be asked for before the wasm
   * backend starts. `auto`: as many as the machine has, or one where threads cannot be had. The results are the same to
   * the bit.
   */
  threads?: number | 'auto';
}

/**
 * Makes the wasm backend of tfjs able to train, in the whole process: adds the kernels that it lacks and replaces those
 * that are wrong or slow. Starts the backend where it is not running yet; does not change which backend is active. A
 * second call changes only what it asks for.
 */
export async function enableTraining(options: TrainingOptions = {}): Promise<Training> {
  if (options.threads !== 'auto') return enable(options, options.threads);
  try {
    return await enable(options, threadsOf('auto'));
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code !== 'NO_THREADS') throw error;
    return { ...(await enable(options, 1)), whyOneThread: message };
  }
}

async function enable(options: TrainingOptions, count: number | undefined): Promise<Training> {
  const before = enabledEntry();
  const {
    fma = before?.fma ?? true,
    layers = before?.layers ?? true,
    engine = before?.engine ?? true,
  } = options;
  const threads = threadsOf(count ?? before?.threads ?? 1);
  const isSame = before?.fma === fma && before.layers === layers && before.engine === engine;
  if (isSame && before.threads === threads) return before.training;
  const training = replace(before, () => entry);
  const entry: Enabled = { fma, layers, engine, threads, training, isOn: false };
  enabledEntry(entry);
  try {
    return await entry.training;
  } catch (error) {
    if (enabledEntry() === entry) enabledEntry(before?.isOn ? before : undefined);
    throw error;
  }
}

async function replace(before: Enabled | undefined, own: () => Enabled): Promise<Training> {
  const previous = await before?.training.catch(() => undefined);
  const entry = own();
  // Both may fail; until then everything stays as it was.
  const backend = await startedBackend(entry.threads > 1);
  const module = await loadModule(entry.fma, backend.wasm.asm.memory);
  previous?.disable();
  guardAllocation(backend);
  const { contextOf, unregister } = registerKernels(module);
  entry.contextOf = contextOf;
  const endThreads = await useThreads(contextOf(backend), module, entry.threads).catch((error) => {
    unregister();
    throw error;
  });
  const undo = [
    provideAccelerator('wasm', wasmAccelerator),
    entry.layers ? fuseLayers() : () => {},
    entry.engine ? speedUpEngine() : () => {},
    registerFastGradients(),
    explainSecondOrder(),
    unregister,
    endThreads,
  ];
  entry.isOn = true;
  const disable = (): void => {
    // It may be called twice, or after another call has replaced this one.
    if (!entry.isOn) return;
    entry.isOn = false;
    for (const undoOne of undo) undoOne();
    if (enabledEntry() === entry) enabledEntry(undefined);
  };
  return { fma: module.fma, threads: entry.threads, disable };
}
