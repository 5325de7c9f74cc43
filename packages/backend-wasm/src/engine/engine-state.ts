import * as tf from '@tensorflow/tfjs-core';

/** An operation on the tape. */
export interface TapeNode {
  readonly kernelName: string;
  readonly inputs: Readonly<Record<string, tf.Tensor>>;
  readonly outputs: readonly tf.Tensor[];
  readonly saved: readonly tf.Tensor[];
  readonly gradient?: (dys: (tf.Tensor | null)[]) => Record<string, () => tf.Tensor>;
}

export type GradientRule = (
  dy: tf.Tensor | tf.Tensor[],
  saved: tf.Tensor[],
  attrs: tf.NamedAttrMap,
) => Record<string, () => tf.Tensor>;

export interface Scope {
  readonly id: number;
  readonly name: string;
  readonly track: tf.Tensor[];
}

/** The parts of the tfjs 4.22 engine that are used here; most of them are not public. */
export interface EngineInternals {
  readonly backendName: string;
  readonly backendInstance: {
    incRef(dataId: object): void;
  } | null;
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
    gradient: GradientRule | null,
    saved: tf.Tensor[],
    attrs: object | undefined,
  ): void;
  makeTensorFromTensorInfo(info: tf.TensorInfo): tf.Tensor;
  getTensorsForGradient(kernelName: string, inputs: tf.NamedTensorMap, outputs: tf.Tensor[]): tf.Tensor[];
  saveTensorsForBackwardMode(tensors: tf.Tensor[]): tf.Tensor[];
  runKernel(name: string, inputs: tf.NamedTensorMap, attrs?: tf.NamedAttrMap): tf.Tensor | tf.Tensor[];
  runKernelFunc(operation: CustomOperation): tf.Tensor | tf.Tensor[];
}

/** An operation with its own gradient function: from tf.customGrad, or from this package. */
export interface CustomOperation {
  readonly inputs: tf.NamedTensorMap;
  readonly attrs?: object | undefined;
  readonly forwardFunc: (backend: unknown, save: (tensors: tf.Tensor[]) => void) => tf.Tensor | tf.Tensor[];
  readonly backwardsFunc: GradientRule;
}

export interface Gradients {
  value: tf.Tensor;
  grads: (tf.Tensor | undefined)[];
}

export function engineInternals(): EngineInternals {
  return tf.engine() as unknown as EngineInternals;
}

/** Overrides a method of the engine. Returns how to restore it, unless somebody has overridden it again since. */
export function override<Name extends 'gradients' | 'clone' | 'endScope' | 'runKernel' | 'runKernelFunc'>(
  name: Name,
  own: EngineInternals[Name],
): () => void {
  const engine = engineInternals();
  engine[name] = own;
  return () => {
    if (engine[name] === own) Reflect.deleteProperty(engine, name);
  };
}

/** Whether somebody profiles or debugs the engine: then it must do exactly what tfjs does. */
export function isObserved({ state }: EngineInternals): boolean {
  const flags = tf.env();
  return state.profiling || flags.getBool('DEBUG') || flags.getBool('IS_TEST');
}

/** Whether a forward pass runs on wasm for at most one gradient: fused operations have no second derivative. */
export function canFuseForward(): boolean {
  const { backendName, state } = engineInternals();
  return backendName === 'wasm' && state.gradientDepth <= 1;
}

/** Whether a backward pass runs on wasm and is not differentiated itself. */
export function canFuseBackward(): boolean {
  const { backendName, state } = engineInternals();
  return backendName === 'wasm' && state.gradientDepth === 0;
}
