import * as tf from '@tensorflow/tfjs-core';

/** Some training steps, in which something may change from one to the next. */
export interface Steps {
  readonly variables: (step: number) => tf.Variable[];
  readonly loss: (step: number) => tf.Scalar;
  /** Runs before a step, outside of its gradient. */
  readonly before?: (step: number) => void;
  readonly dispose?: () => void;
}

const COUNT = 14;

/** What training steps give. */
export interface Outcome {
  /** Losses and gradients of all steps; each step moves the variables. */
  readonly numbers: number[][];
  /** What they leave behind. */
  readonly left: { numTensors: number; numBytes: number; numDataBuffers: number };
}

export function runSteps(make: () => Steps): Outcome {
  const start = tf.memory();
  const results: number[][] = [];
  const steps = make();
  for (let i = 0; i < COUNT; i++) {
    steps.before?.(i);
    const { value, grads } = tf.variableGrads(() => steps.loss(i), steps.variables(i));
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
  return { numbers: results, left };
}
