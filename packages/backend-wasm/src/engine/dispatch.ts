import * as tf from '@tensorflow/tfjs-core';
import {
  type CustomOperation,
  type EngineInternals,
  engineInternals,
  type GradientRule,
  isObserved,
  override,
  type TapeNode,
} from './engine-state.js';
import { kernelOf } from './kernel-of.js';
import { OPERATION } from './repeatable.js';

/**
 * What the engine does to run a kernel, or an operation with a gradient of its own, without what it does for profiles
 * and checks of memory: several closures and look-ups less for each. Returns what undoes it.
 */
export function dispatchQuickly(watch: KernelWatch): () => void {
  const { runKernel: stock, runKernelFunc: stockOperation } = engineInternals();
  const undo = [
    override('runKernel', runKernel),
    override('runKernelFunc', runOperation),
    override('addTapeNode', addTapeNode),
  ];
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
    else if (watch.listener && state.kernelDepth === 0) watch.listener.kernel(name, inputs, attrs, outputs);
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

/** Is told of the kernels that run outside of a tape, and not inside of other kernels. */
export interface KernelListener {
  kernel(
    name: string,
    inputs: tf.NamedTensorMap,
    attrs: tf.NamedAttrMap | undefined,
    outputs: readonly tf.Tensor[],
  ): void;
}

/** Who listens at the moment. */
export interface KernelWatch {
  listener: KernelListener | undefined;
}

/** A kernel may give a tensor as well. */
function tensorOf(engine: EngineInternals, made: tf.TensorInfo): tf.Tensor {
  return (made as tf.Tensor).rank == null ? engine.makeTensorFromTensorInfo(made) : (made as tf.Tensor);
}

/** As in tfjs, and the node says what its gradient is made of. */
function addTapeNode(this: EngineInternals, ...args: Parameters<EngineInternals['addTapeNode']>): void {
  const [kernelName, inputs, outputs, backwards, saved, attrs] = args;
  const { state } = this;
  const registered = tf.getGradient(kernelName)?.gradFunc as GradientRule | undefined;
  const rule = registered ?? backwards;
  const node: TapeNode & { id: number } = {
    id: state.nextTapeNodeId++,
    kernelName,
    inputs,
    outputs,
    saved,
    rule: registered,
    attrs,
    operation: registered ? undefined : (attrs as { [OPERATION]?: string } | undefined)?.[OPERATION],
    ...(rule && {
      gradient: (dys: (tf.Tensor | null)[]) => {
        const arrived = dys.map((dy, i) => dy ?? zeros(this, outputs[i]!));
        return rule(arrived.length > 1 ? arrived : arrived[0]!, saved, attrs as tf.NamedAttrMap);
      },
    }),
  };
  state.activeTape!.push(node);
}

function zeros(engine: EngineInternals, { size, shape, dtype }: tf.Tensor): tf.Tensor {
  return engine.makeTensor(tf.util.makeZerosTypedArray(size, dtype as 'float32'), shape, dtype);
}
