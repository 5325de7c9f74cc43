import * as tf from '@tensorflow/tfjs-core';
import type { KernelWatch } from './dispatch.js';
import type { EngineInternals, Gradients, TapeNode } from './engine-state.js';
import type { Program } from './program.js';
import { RecordedTape } from './recorded-tape.js';
import { Recorder } from './recorder.js';

/** Models, batch sizes and branches that take turns each have a recording of their own; the oldest goes. */
const MOST = 8;

const RARELY = 16;

/**
 * The backward passes of the last steps. A step whose forward pass has left the same tape as one of them runs the
 * kernels of that one; any other goes back along its tape as always, and is recorded.
 */
export class VerifiedSteps {
  readonly #recordings: { tape: RecordedTape; program: Program }[] = [];
  #misses = 0;
  #isBusy = false;

  constructor(
    private readonly engine: EngineInternals,
    private readonly watch: KernelWatch,
  ) {}

  /** The gradients of y, which is one number. `walk` goes back along the tape, and tells the recorder how. */
  backward(
    tape: readonly TapeNode[],
    y: tf.Tensor,
    xs: readonly tf.Tensor[],
    walk: (recorder?: Recorder) => Gradients,
  ): Gradients {
    // A gradient function that computes gradients of something else: one at a time.
    if (this.#isBusy) return walk();
    this.#isBusy = true;
    try {
      const program = this.#find(tape, xs, y);
      return program ? { value: y, grads: program.run(this.engine, tape) } : this.#record(tape, xs, y, walk);
    } finally {
      this.#isBusy = false;
    }
  }

  dispose(): void {
    for (const { program } of this.#recordings.splice(0)) this.#drop(program);
  }

  #find(tape: readonly TapeNode[], xs: readonly tf.Tensor[], y: tf.Tensor): Program | undefined {
    const { backendInstance } = this.engine;
    const at = this.#recordings.findIndex(
      (each) => each.program.backend === backendInstance && each.tape.matches(tape, xs, y),
    );
    if (at < 0) return undefined;
    this.#misses = 0;
    const found = this.#recordings[at]!;
    if (at > 0) {
      this.#recordings.splice(at, 1);
      this.#recordings.unshift(found);
    }
    return found.program;
  }

  #record(
    tape: readonly TapeNode[],
    xs: readonly tf.Tensor[],
    y: tf.Tensor,
    walk: (recorder?: Recorder) => Gradients,
  ): Gradients {
    // Where no step is like one before, recording is for nothing: then only some are, to see whether that goes on.
    const misses = ++this.#misses;
    if (misses > MOST && misses % RARELY !== 0) return walk();
    const recorded = new RecordedTape(tape, xs, y);
    const recorder = new Recorder(this.engine, this.watch);
    let gradients: Gradients;
    try {
      gradients = walk(recorder);
    } finally {
      recorder.stop();
    }
    const program = recorder.program(gradients.grads);
    if (program) this.#recordings.unshift({ tape: recorded, program });
    if (this.#recordings.length > MOST) this.#drop(this.#recordings.pop()!.program);
    return gradients;
  }

  #drop(program: Program): void {
    // With a backend that was removed, all of its data is gone.
    if ((tf.engine().registry.wasm as unknown) === program.backend) program.dispose(this.engine);
  }
}
