import type { ForwardEvent, Gradients } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { type FiniteCheck, finiteCheck, type Suspect } from './finite-check.js';
import { HeldWeights, type Weights } from './held-weights.js';

/** What is watched of one batch, from before its forward pass until after its backward pass. */
export class BatchCheck {
  /** The buffers as they were before the batch. */
  readonly before: HeldWeights;
  readonly #buffers: Weights;
  readonly #check: FiniteCheck;
  #loss: tf.Tensor | undefined;

  constructor(backend: string, buffers: Weights) {
    this.before = new HeldWeights(buffers);
    this.#buffers = buffers;
    this.#check = finiteCheck(backend);
  }

  activation({ path, output, callIndex }: ForwardEvent): void {
    this.#check.look('activation', path, output, callIndex);
  }

  loss(loss: tf.Tensor): void {
    this.#check.look('loss', 'loss', loss);
    // Kept beyond the tidy of the tape, without a copy: the bundle records the loss.
    this.#loss = tf.keep(tf.clone(loss));
  }

  async readLoss(): Promise<number | undefined> {
    return (await this.#loss?.data())?.[0];
  }

  /** What is not finite; a promise where the device has to be read. */
  finish(gradients: Gradients): Suspect[] | Promise<Suspect[]> {
    for (const [path, gradient] of Object.entries(gradients)) this.#check.look('gradient', path, gradient);
    for (const [path, before] of this.before.values()) {
      const buffer = this.#buffers[path]!;
      // A frozen weight keeps its data and need not be checked again.
      if (buffer.dataId !== before.dataId) this.#check.look('buffer', path, buffer);
    }
    return this.#check.read();
  }

  release(): void {
    this.before.release();
    tf.dispose(this.#loss);
    this.#check.dispose();
  }
}
