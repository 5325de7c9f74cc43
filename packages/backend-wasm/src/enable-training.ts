import { provideAccelerator } from '@hookline/numerics';
import { wasmAccelerator } from './accelerator/accelerator.js';
import { guardAllocation } from './backend/memory.js';
import { startedBackend, whyNotShared } from './backend/wasm-backend.js';
import { type Enabled, enabledEntry, type Threads, type Training } from './enabled.js';
import { speedUpEngine } from './engine/fast-engine.js';
import { registerFastGradients } from './gradients/fast-gradients.js';
import { explainSecondOrder } from './gradients/second-order.js';
import { registerKernels } from './kernels/register-kernels.js';
import { fuseLayers } from './layers/fuse-layers.js';
import { loadModule } from './module/load-module.js';
import { type FoundKernels, findKernels } from './native/find-kernels.js';
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
   * Compute large operations with this many threads. Needs Node, and has to be asked for before the wasm backend starts.
   * `auto`, which is what it is when absent: up to as many as the machine has, started when the first operations have
   * shown that there is work for them, and used while that is faster; one where threads cannot be had. The results are
   * the same to the bit.
   */
  threads?: number | 'auto';
  /**
   * Compute with @hookline/kernels-native where it is installed and fits the machine; true when absent. The results are
   * the same to the bit. Needs `fma`.
   */
  native?: boolean;
}

/**
 * Makes the wasm backend of tfjs able to train, in the whole process: adds the kernels that it lacks and replaces those
 * that are wrong or slow. Starts the backend where it is not running yet; does not change which backend is active. A
 * second call changes only what it asks for.
 */
export async function enableTraining(options: TrainingOptions = {}): Promise<Training> {
  const before = enabledEntry();
  const { threads } = options;
  if (threads === undefined && before) return enable(options, before);
  if (threads !== undefined && threads !== 'auto')
    return enable(options, { threads: threadsOf(threads), late: false });
  // Known at once, so that calls at the same time do not wait for one that will fail.
  const whyOneThread = whyNotShared();
  if (whyOneThread !== undefined) return enable(options, { threads: 1, late: false, whyOneThread });
  try {
    return await enable(options, { threads: threadsOf('auto'), late: true });
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (code !== 'NO_THREADS') throw error;
    return enable(options, { threads: 1, late: false, whyOneThread: message });
  }
}

async function enable(options: TrainingOptions, { threads, late, whyOneThread }: Threads): Promise<Training> {
  const before = enabledEntry();
  const {
    fma = before?.fma ?? true,
    layers = before?.layers ?? true,
    engine = before?.engine ?? true,
    native = before?.native ?? true,
  } = options;
  const isSame = before?.fma === fma && before.layers === layers && before.engine === engine;
  const hasSameThreads = before?.threads === threads && before.late === late;
  if (isSame && before.native === native && hasSameThreads) return before.training;
  const training = replace(before, () => entry);
  const entry: Enabled = { fma, layers, engine, native, threads, late, whyOneThread, training, isOn: false };
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
  const found = await nativeKernels(entry.native, module.fma);
  const kernels = 'kernels' in found ? found.kernels : undefined;
  previous?.disable();
  guardAllocation(backend);
  const { contextOf, unregister } = registerKernels(module, kernels);
  entry.contextOf = contextOf;
  const endThreads = await useThreads(contextOf(backend), module, entry, kernels?.file).catch((error) => {
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
  const native = 'kernels' in found ? found.kernels.instructions : undefined;
  const whyNotNative = 'why' in found ? found.why : undefined;
  const { threads, whyOneThread } = entry;
  return { fma: module.fma, threads, whyOneThread, native, whyNotNative, disable };
}

async function nativeKernels(isWanted: boolean, fma: boolean): Promise<FoundKernels> {
  if (!isWanted) return { why: '`native: false` switches them off' };
  if (!fma)
    return { why: 'they multiply and add with one rounding, which is switched off or cannot be had here' };
  return findKernels();
}
