import * as tf from '@tensorflow/tfjs-core';
import { KernelContext } from '../backend/kernel-context.js';
import type { WasmBackend } from '../backend/wasm-backend.js';
import { BackendWasmError } from '../errors.js';
import type { LoadedModule } from '../module/load-module.js';
import type { NativeKernels } from '../native/find-kernels.js';
import { OWN_KERNELS } from './own-kernels.js';
import type { TrainingKernel } from './training-kernel.js';
import { TRAINING_KERNELS } from './training-kernels.js';

export interface RegisteredKernels {
  /** The context of the kernels of a backend. */
  contextOf(backend: WasmBackend): KernelContext;
  /** Restores the stock kernels. */
  unregister(): void;
}

/** Registers the kernels with tfjs, each in front of the stock one. */
export function registerKernels(
  { compiledFor }: LoadedModule,
  native: NativeKernels | undefined,
): RegisteredKernels {
  const { contextOf, free } = contexts(compiledFor, native);
  const replaced = [...TRAINING_KERNELS, ...OWN_KERNELS].map((own) => {
    const stock = tf.getKernel(own.name, 'wasm');
    if (stock) tf.unregisterKernel(own.name, 'wasm');
    tf.registerKernel(configOf(own, stock, contextOf));
    return { name: own.name, stock };
  });
  const unregister = (): void => {
    for (const { name, stock } of replaced) {
      tf.unregisterKernel(name, 'wasm');
      if (stock) tf.registerKernel(stock);
    }
    free();
  };
  return { contextOf, unregister };
}

function configOf(
  own: TrainingKernel,
  stock: tf.KernelConfig | undefined,
  contextOf: (backend: WasmBackend) => KernelContext,
): tf.KernelConfig {
  const { name, run } = own;
  return {
    kernelName: name,
    backendName: 'wasm',
    // Ours fall back to the stock kernels, which tfjs sets up whenever the backend becomes active.
    ...(stock?.setupFunc && { setupFunc: stock.setupFunc }),
    ...(stock?.disposeFunc && { disposeFunc: stock.disposeFunc }),
    kernelFunc: (args) => {
      const { inputs, attrs, backend } = args;
      const result = run(contextOf(backend as WasmBackend), inputs as never, attrs as never);
      if (result !== undefined) return result;
      if (stock) return stock.kernelFunc(args);
      throw new BackendWasmError(
        'UNSUPPORTED',
        `${name} on wasm does not support ${describe(inputs, attrs)}.`,
      );
    },
  };
}

/** One context for each backend instance; a process has a second one only after removing the first. */
function contexts(
  compiledFor: LoadedModule['compiledFor'],
  native: NativeKernels | undefined,
): {
  contextOf: (backend: WasmBackend) => KernelContext;
  free: () => void;
} {
  const known = new WeakMap<WasmBackend, KernelContext>();
  let latest: KernelContext | undefined;
  const contextOf = (backend: WasmBackend): KernelContext => {
    if (latest?.backend === backend) return latest;
    latest = known.get(backend) ?? new KernelContext(backend, compiledFor(backend.wasm.asm.memory), native);
    known.set(backend, latest);
    return latest;
  };
  return { contextOf, free: () => latest?.free() };
}

function describe(inputs: tf.NamedTensorInfoMap, attrs: tf.NamedAttrMap | undefined): string {
  const tensors = Object.entries(inputs).map(
    ([name, tensor]) => `${name}: ${tensor?.dtype} [${tensor?.shape}]`,
  );
  return `${tensors.join(', ')} with ${JSON.stringify(attrs)}`;
}
