import * as tf from '@tensorflow/tfjs-core';

export interface ReadOutput {
  readonly path: string;
  readonly callIndex: number;
  readonly shape: readonly number[];
  readonly values: ArrayLike<number | string>;
}

/**
 * The outputs of the layers of a pass, in the order in which they were computed, to be read after it: some devices can be
 * read only by waiting for them. That takes no more memory than the pass, whose tape holds them as well.
 */
export class HeldOutputs {
  readonly #held: { path: string; callIndex: number; output: tf.Tensor }[] = [];

  /** Inside the pass. */
  add(path: string, callIndex: number, output: tf.Tensor): void {
    this.#held.push({ path, callIndex, output: tf.keep(tf.clone(output)) });
  }

  async *read(): AsyncGenerator<ReadOutput> {
    for (const { path, callIndex, output } of this.#held) {
      yield { path, callIndex, shape: output.shape, values: await output.data() };
    }
  }

  release(): void {
    tf.dispose(this.#held.map(({ output }) => output));
    this.#held.length = 0;
  }
}
