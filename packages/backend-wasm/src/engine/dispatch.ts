import type * as tf from '@tensorflow/tfjs-core';
import {
  type CustomOperation,
  type EngineInternals,
  engineInternals,
  isObserved,
  override,
} from './engine-state.js';
import { kernelOf } from './kernel-of.js';

/**
 * Runs kernels, and operations with a gradient function, without the engine's bookkeeping for profiles and memory
 * checks: several closures and look-ups less for each. Returns how to undo it.
 */
export function dispatchQuickly(): () => void {
  const { runKernel: stock, runKernelFunc: stockOperation } = engineInternals();
  const undo = [override('runKernel', runKernel), override('runKernelFunc', runOperation)];
  return () => {
    for (const undoOne of undo) undoOne();
  };

  function runKernel(
    this: EngineInternals,
    name: string,
    inputs: tf.NamedTensorMap,
    attrs?: tf.NamedAttrMap,
  ): tf.Tensor | tf.Tensor[] {
    const kernel =
      this.backendName === 'wasm' && this.backendInstance && !isObserved(this) ? kernelOf(name) : undefined;
    if (!kernel) return stock.call(this, name, inputs, attrs);
    const { state } = this;
    const isOnTape = state.gradientDepth > 0 && state.kernelDepth === 0;
    let outputs: tf.Tensor[];
    let saved: tf.Tensor[] = [];
    let isList: boolean;
    state.kernelDepth++;
    try {
      const made = kernel.kernelFunc({ inputs, attrs: attrs!, backend: this.backendInstance! });
      isList = Array.isArray(made);
      outputs = Array.isArray(made) ? made.map((each) => tensorOf(this, each)) : [tensorOf(this, made)];
      // Without a tape nobody would ever dispose of them.
      if (isOnTape)
        saved = this.saveTensorsForBackwardMode(this.getTensorsForGradient(name, inputs, outputs));
    } finally {
      state.kernelDepth--;
    }
    if (isOnTape) this.addTapeNode(name, inputs, outputs, null, saved, attrs);
    return isList ? outputs : outputs[0]!;
  }

  function runOperation(this: EngineInternals, operation: CustomOperation): tf.Tensor | tf.Tensor[] {
    const isKernel = (operation as { kernelName?: string }).kernelName != null;
    const { backendInstance, state } = this;
    const isPlain = !isKernel && this.backendName === 'wasm' && !isObserved(this);
    if (!isPlain || !backendInstance) return stockOperation.call(this, operation);
    const { inputs, attrs, forwardFunc, backwardsFunc } = operation;
    const isOnTape = state.gradientDepth > 0 && state.kernelDepth === 0;
    const name = state.activeScope?.name ?? '';
    let saved: tf.Tensor[] = [];
    const save = (tensors: tf.Tensor[]) => {
      if (isOnTape) saved = this.saveTensorsForBackwardMode(tensors);
    };
    let result: tf.Tensor | tf.Tensor[] | undefined;
    state.kernelDepth++;
    this.startScope();
    try {
      result = forwardFunc(backendInstance, save);
    } finally {
      this.endScope(result);
      state.kernelDepth--;
    }
    const outputs = Array.isArray(result) ? result : [result];
    if (isOnTape) this.addTapeNode(name, inputs, outputs, backwardsFunc, saved, attrs);
    return result;
  }
}

/** Some kernels return a tensor already. */
function tensorOf(engine: EngineInternals, made: tf.TensorInfo): tf.Tensor {
  return (made as tf.Tensor).rank == null ? engine.makeTensorFromTensorInfo(made) : (made as tf.Tensor);
}
