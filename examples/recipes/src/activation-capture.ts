import { type HookContext, type HookEvents, type LayerFilter, TrainerHook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

export interface CapturedState {
  path: string;
  step: number;
  inputs: tf.Tensor[];
  output: tf.Tensor;
}

/** Keeps what went into a layer and what came out of it, for the latest batches. `clear()` frees the memory. */
export class ActivationCapture extends TrainerHook {
  readonly name = 'activation-capture';
  override readonly layers: LayerFilter;
  readonly maxCapturedStates: number;
  captured: CapturedState[] = [];

  constructor(layers: LayerFilter, { maxCapturedStates = 10 } = {}) {
    super();
    this.layers = layers;
    this.maxCapturedStates = maxCapturedStates;
  }

  override onForward(ctx: HookContext, { path, inputs, output }: HookEvents['onForward']): void {
    // Tensors of an event are the trainer's: a clone that is kept outlives the batch, and shares the memory.
    const keep = (tensor: tf.Tensor) => tf.keep(tf.clone(tensor));
    this.captured.push({ path, step: ctx.state.step, inputs: inputs.map(keep), output: keep(output) });
    while (this.captured.length > this.maxCapturedStates) dispose(this.captured.shift()!);
  }

  clear(): void {
    this.captured.splice(0).forEach(dispose);
  }
}

function dispose({ inputs, output }: CapturedState): void {
  tf.dispose([...inputs, output]);
}
