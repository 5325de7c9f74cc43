import type * as tf from '@tensorflow/tfjs-core';
import type { KernelListener, KernelWatch } from './dispatch.js';
import { type EngineInternals, override, type TapeNode } from './engine-state.js';
import { copyOfPlain } from './plain-values.js';
import { type Instruction, type Plan, Program, type Slot } from './program.js';
import { isRepeatable } from './repeatable.js';

/** How many numbers a constant may have, which a program holds between steps: with a larger one there is none. */
const LARGEST_CONSTANT = 16;

/**
 * Writes down what a backward pass does. The gradient functions that repeat are written as the kernels they run; the
 * others are called anew in each step. Everything that such a kernel takes has to be known: dy, what was saved, small
 * numbers, or the result of another one. Otherwise there is no program.
 */
export class Recorder implements KernelListener {
  readonly #slots = new Map<number, Slot>();
  readonly #instructions: Instruction[] = [];
  readonly #saved: { slot: Slot; node: number; index: number }[] = [];
  readonly #constants: { slot: Slot; values: tf.backend_util.BackendValues; of: tf.Tensor }[] = [];
  readonly #undo: () => void;
  #count = 0;
  #isLost = false;
  #outputs: Slot[] | undefined;

  constructor(
    private readonly engine: EngineInternals,
    private readonly watch: KernelWatch,
  ) {
    const recorder = this;
    const { makeTensor } = engine;
    this.#undo = override('makeTensor', function (this: EngineInternals, values, shape, dtype, backend) {
      const made = makeTensor.call(this, values, shape, dtype, backend);
      if (watch.listener === recorder) recorder.#constant(made, values);
      return made;
    });
  }

  /** The gradient that the pass starts from. */
  start(one: tf.Tensor): void {
    this.#constant(one, Float32Array.of(1));
  }

  /** An operation whose gradient function is about to be called. */
  enter(index: number, node: TapeNode, names: readonly string[], dys: readonly (tf.Tensor | null)[]): void {
    this.#outputs = undefined;
    if (isRepeatable(node)) {
      for (const [i, { id }] of node.saved.entries()) {
        const slot = this.#new(id);
        this.#saved.push({ slot, node: index, index: i });
      }
      this.watch.listener = this;
      return;
    }
    const outputs: Slot[] = [];
    const slots = dys.map((dy) => (dy ? this.#known(dy) : undefined));
    this.#instructions.push({ kind: 'call', node: index, dys: slots, names, outputs });
    this.#outputs = outputs;
  }

  /** The gradient function has given the gradient of its next input. */
  given(node: TapeNode, dx: tf.Tensor): void {
    this.watch.listener = undefined;
    if (this.#outputs) {
      this.#outputs.push(this.#new(dx.id));
    } else if (node.saved.some(({ id }) => id === dx.id)) {
      const from = this.#known(dx);
      this.#instructions.push({ kind: 'share', from, outputs: [this.#new(dx.id)] });
    }
  }

  /** The next input of the same operation. */
  next(): void {
    if (!this.#outputs) this.watch.listener = this;
  }

  /** Two gradients of one tensor were added up. */
  added(a: tf.Tensor, b: tf.Tensor, sum: tf.Tensor): void {
    const inputs = [this.#known(a), this.#known(b)];
    const outputs = [this.#new(sum.id)];
    this.#instructions.push({
      kind: 'kernel',
      name: 'Add',
      keys: ['a', 'b'],
      inputs,
      isArray: false,
      attrs: {},
      outputs,
    });
  }

  /** Another tensor with the same data. */
  same(shared: tf.Tensor, as: tf.Tensor): void {
    this.#slots.set(shared.id, this.#known(as));
  }

  leave(index: number, { saved }: TapeNode): void {
    this.watch.listener = undefined;
    if (saved.length > 0) this.#instructions.push({ kind: 'release', node: index });
  }

  kernel(
    name: string,
    inputs: tf.NamedTensorMap,
    attrs: tf.NamedAttrMap | undefined,
    outputs: readonly tf.Tensor[],
  ): void {
    const given = Object.entries(inputs).filter(([, input]) => input != null);
    const copy = copyOfPlain(attrs);
    if (!copy) this.#isLost = true;
    this.#instructions.push({
      kind: 'kernel',
      name,
      keys: given.map(([key]) => key),
      inputs: given.map(([, input]) => this.#known(input)),
      isArray: Array.isArray(inputs),
      attrs: copy?.plain,
      outputs: outputs.map(({ id }) => this.#new(id)),
    });
  }

  /** Listens no more. */
  stop(): void {
    this.watch.listener = undefined;
    this.#undo();
  }

  /** What was recorded, once the gradients are there; undefined where something is not known. */
  program(gradients: readonly (tf.Tensor | undefined)[]): Program | undefined {
    const results = gradients.map((gradient) => gradient && this.#known(gradient));
    const backend = this.engine.backendInstance;
    // An x that is there twice has one gradient, which the caller disposes of once.
    const isTwice = new Set(gradients.filter(Boolean)).size < gradients.filter(Boolean).length;
    // A gradient that is a number from here, as that of x itself is, would be one data for every step.
    const isConstant = gradients.some((each) => this.#constants.some(({ of }) => of.dataId === each?.dataId));
    if (this.#isLost || isTwice || isConstant || !backend) return undefined;
    const constants = this.#constants.map(({ slot, values, of: { shape, dtype } }) => ({
      slot,
      info: { dataId: backend.write(values, shape, dtype), shape, dtype },
    }));
    const plan: Plan = {
      slots: this.#count,
      instructions: this.#instructions,
      saved: this.#saved,
      constants,
      results,
    };
    return new Program(plan, backend);
  }

  #constant(of: tf.Tensor, values: tf.backend_util.BackendValues): void {
    if (of.size > LARGEST_CONSTANT || of.dtype === 'string' || of.dtype === 'complex64') this.#isLost = true;
    else this.#constants.push({ slot: this.#new(of.id), values: values.slice() as typeof values, of });
  }

  #new(tensorId: number): Slot {
    const slot = this.#count++;
    this.#slots.set(tensorId, slot);
    return slot;
  }

  #known({ id }: tf.Tensor): Slot {
    const slot = this.#slots.get(id);
    if (slot === undefined) this.#isLost = true;
    return slot ?? -1;
  }
}
