import * as tf from '@tensorflow/tfjs-core';

/** An operation on the tape. */
export interface TapeNode {
  readonly kernelName: string;
  readonly inputs: Readonly<Record<string, tf.Tensor>>;
  readonly outputs: readonly tf.Tensor[];
  readonly saved: readonly tf.Tensor[];
  readonly gradient?: (dys: (tf.Tensor | null)[]) => Record<string, () => tf.Tensor>;
}

export interface Scope {
  readonly id: number;
  readonly name: string;
  readonly track: tf.Tensor[];
}

/** What is used of the engine of tfjs 4.22, most of which it does not publish. */
export interface EngineInternals {
  readonly backendName: string;
  readonly backendInstance: { incRef(dataId: object): void };
  readonly state: {
    gradientDepth: number;
    kernelDepth: number;
    profiling: boolean;
    activeTape: TapeNode[] | null;
    activeScope: Scope | null;
    readonly scopeStack: Scope[];
    readonly tensorInfo: { get(dataId: object): { backend: unknown } | undefined };
  };
  clone(x: tf.Tensor): tf.Tensor;
  gradients(f: () => tf.Tensor, xs: tf.Tensor[], dy?: tf.Tensor, allowNoGradients?: boolean): Gradients;
  startTape(): void;
  endTape(): void;
  startScope(name?: string): void;
  endScope(result?: unknown): void;
  track(tensor: tf.Tensor): tf.Tensor;
  tidy<Result>(name: string, run: () => Result): Result;
  addTapeNode(
    kernelName: string,
    inputs: tf.NamedTensorMap,
    outputs: tf.Tensor[],
    gradient: (dy: tf.Tensor) => Record<string, () => tf.Tensor>,
    saved: tf.Tensor[],
    attrs: object,
  ): void;
  makeTensorFromTensorInfo(info: tf.TensorInfo): tf.Tensor;
  runKernelFunc(kernel: {
    inputs: tf.NamedTensorMap;
    forwardFunc: (backend: unknown, save: (tensors: tf.Tensor[]) => void) => tf.Tensor;
    backwardsFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => Record<string, () => tf.Tensor>;
  }): tf.Tensor;
}

export interface Gradients {
  value: tf.Tensor;
  grads: (tf.Tensor | undefined)[];
}

export function engineInternals(): EngineInternals {
  return tf.engine() as unknown as EngineInternals;
}

/** Whether somebody looks closely at what the engine does: then it does what tfjs has it do. */
export function isObserved({ state }: EngineInternals): boolean {
  const flags = tf.env();
  return state.profiling || flags.getBool('DEBUG') || flags.getBool('IS_TEST');
}

/** Whether a forward pass runs on wasm for at most one gradient: what is fused here has no second one. */
export function canFuseForward(): boolean {
  const { backendName, state } = engineInternals();
  return backendName === 'wasm' && state.gradientDepth <= 1;
}

/** Whether a backward pass runs on wasm, and nobody differentiates it in turn. */
export function canFuseBackward(): boolean {
  const { backendName, state } = engineInternals();
  return backendName === 'wasm' && state.gradientDepth === 0;
}
