import * as tf from '@tensorflow/tfjs-core';

/** Some training steps, in which something may change from one to the next. */
export interface Steps {
  readonly variables: (step: number) => tf.Variable[];
  readonly loss: (step: number) => tf.Scalar;
  /** Goes on around the steps, not in them. */
  readonly before?: (step: number) => void;
  readonly dispose?: () => void;
}

const COUNT = 14;

/** What training steps have given. */
export interface Outcome {
  /** Losses and gradients of all steps, each of which has moved the variables. */
  readonly numbers: number[][];
  /** What is there after them that was not before. */
  readonly left: { numTensors: number; numBytes: number; numDataBuffers: number };
  /** How many kernels the engine has run on the way back, step by step: for a recorded one, none. */
  readonly kernels: number[];
}

export function runSteps(make: () => Steps): Outcome {
  const start = tf.memory();
  const results: number[][] = [];
  const kernels: number[] = [];
  const steps = make();
  for (let i = 0; i < COUNT; i++) {
    steps.before?.(i);
    const { value, grads } = counted(kernels, steps, i);
    results.push([...value.dataSync()]);
    for (const variable of steps.variables(i)) {
      const gradient = grads[variable.name];
      if (!gradient) continue;
      results.push([...gradient.dataSync()]);
      tf.tidy(() => variable.assign(tf.sub(variable, tf.mul(gradient, 0.05)) as never));
    }
    tf.dispose([value, grads]);
  }
  steps.dispose?.();
  const end = tf.memory();
  const left = {
    numTensors: end.numTensors - start.numTensors,
    numBytes: end.numBytes - start.numBytes,
    numDataBuffers: end.numDataBuffers - start.numDataBuffers,
  };
  return { numbers: results, left, kernels };
}

function counted(kernels: number[], { loss, variables }: Steps, i: number) {
  const engine = tf.engine() as unknown as { runKernel(...args: unknown[]): unknown };
  const before = engine.runKernel;
  let count = 0;
  engine.runKernel = function (...args) {
    count++;
    return before.apply(this, args);
  };
  try {
    return tf.variableGrads(() => {
      const result = loss(i);
      count = 0;
      return result;
    }, variables(i));
  } finally {
    engine.runKernel = before;
    kernels.push(count);
  }
}

/** The most bytes that the backend has had at a time while this ran, more than before it. */
export function peakBytes(run: () => void): number {
  const { wasm } = tf.backend() as unknown as { wasm: Memory };
  const { _malloc, _free } = wasm;
  const held = new Map<number, number>();
  let [bytes, most] = [0, 0];
  wasm._malloc = (size) => {
    const address = _malloc(size);
    held.set(address, size);
    bytes += size;
    most = Math.max(most, bytes);
    return address;
  };
  wasm._free = (address) => {
    bytes -= held.get(address) ?? 0;
    held.delete(address);
    _free(address);
  };
  try {
    run();
  } finally {
    Object.assign(wasm, { _malloc, _free });
  }
  return most;
}

interface Memory {
  _malloc(bytes: number): number;
  _free(address: number): void;
}
