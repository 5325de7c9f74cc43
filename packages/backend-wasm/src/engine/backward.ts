import * as tf from '@tensorflow/tfjs-core';
import type { EngineInternals, Gradients, TapeNode } from './engine-state.js';
import { gradientOf } from './gradient-of.js';
import { share } from './save-tensors.js';

/**
 * Gradients of y with respect to xs, from the tape of its computation. What the tape has saved, and gradients in
 * between, go as soon as they have been used; stock keeps all of them to the end. Whatever happens, nothing stays.
 */
export function backward(
  engine: EngineInternals,
  tape: readonly TapeNode[],
  y: tf.Tensor,
  xs: readonly tf.Tensor[],
  dy: tf.Tensor | undefined,
  allowNoGradients: boolean,
): Gradients {
  const dependent = namesThatDepend(tape, xs);
  const gradients = new GradientSums(engine, xs);
  let next = tape.length - 1;
  let found = false;
  engine.startScope('backward');
  try {
    gradients.start(y, dy);
    for (; next >= 0; next--) {
      const node = tape[next]!;
      const names = dependent[next];
      const dys = names && gradients.arriving(node);
      if (dys) {
        found = true;
        gradients.passOn(node, names, dys);
      }
      release(node);
    }
    if (!found && !allowNoGradients) throw noGradient();
  } catch (error) {
    for (; next >= 0; next--) release(tape[next]!);
    gradients.dispose();
    engine.endScope();
    throw error;
  }
  const grads = gradients.take(xs);
  engine.endScope();
  for (const gradient of grads) if (gradient && !gradient.kept) engine.track(gradient);
  return { value: y, grads };
}

/** For each operation, which of its inputs follow from xs; undefined where none does. */
function namesThatDepend(tape: readonly TapeNode[], xs: readonly tf.Tensor[]): (string[] | undefined)[] {
  const ids = new Set(xs.map(({ id }) => id));
  return tape.map(({ inputs, outputs }) => {
    let names: string[] | undefined;
    for (const name in inputs) {
      const input = inputs[name];
      if (input && ids.has(input.id)) names = names ? [...names, name] : [name];
    }
    if (names) for (const { id } of outputs) ids.add(id);
    return names;
  });
}

/** Gradients by the tensor that they are of. Each is a reference of its own: several may share one data. */
class GradientSums {
  readonly #sums = new Map<number, tf.Tensor>();
  readonly #wanted: ReadonlySet<number>;

  constructor(
    private readonly engine: EngineInternals,
    xs: readonly tf.Tensor[],
  ) {
    this.#wanted = new Set(xs.map(({ id }) => id));
  }

  start(y: tf.Tensor, dy: tf.Tensor | undefined): void {
    const first = untracked(this.engine, dy ? share(this.engine, dy) : tf.ones(y.shape));
    this.#sums.set(y.id, first);
  }

  /** What has arrived at the outputs of an operation; undefined when nothing has. */
  arriving({ outputs }: TapeNode): (tf.Tensor | null)[] | undefined {
    let found = false;
    const dys = outputs.map(({ id }) => {
      const sum = this.#sums.get(id) ?? null;
      found ||= sum !== null;
      return sum;
    });
    return found ? dys : undefined;
  }

  passOn(node: TapeNode, names: readonly string[], dys: (tf.Tensor | null)[]): void {
    if (!node.gradient) {
      throw new Error(`Cannot compute gradient: gradient function not found for ${node.kernelName}.`);
    }
    // One scope for the operation: what several inputs' gradients have in common is made once and lives until here.
    this.engine.startScope('gradient');
    try {
      const functions = node.gradient(dys);
      for (const name of names) this.#add(node, name, functions);
    } finally {
      this.engine.endScope();
    }
    for (const { id } of node.outputs) {
      // A gradient function of the user may have given its argument for a result, and tfjs then adds the two up.
      const isInput = names.some((name) => node.inputs[name]!.id === id);
      if (!isInput && !this.#wanted.has(id)) this.#drop(id);
    }
  }

  #add(node: TapeNode, name: string, functions: Record<string, () => tf.Tensor>): void {
    const x = node.inputs[name]!;
    const dx = gradientOf(node, name, functions);
    const before = this.#sums.get(x.id);
    const sum = before ? tf.add(before, dx) : dx;
    // A reference of its own, which no scope ends: the function may have given dy itself, or a tensor for two inputs.
    const own = untracked(this.engine, share(this.engine, sum));
    this.#sums.set(x.id, own);
    before?.dispose();
  }

  /** A gradient that somebody has kept, with tf.keep in a function of his own, is his. */
  #drop(id: number): void {
    const sum = this.#sums.get(id);
    if (sum && !sum.kept) sum.dispose();
    this.#sums.delete(id);
  }

  /** The gradients of xs, which are the caller's now; the others go. */
  take(xs: readonly tf.Tensor[]): (tf.Tensor | undefined)[] {
    const taken = xs.map(({ id }) => this.#sums.get(id));
    for (const x of xs) this.#sums.delete(x.id);
    this.dispose();
    return taken;
  }

  dispose(): void {
    for (const id of [...this.#sums.keys()]) this.#drop(id);
  }
}

/** Taken out of the scope in which it has just been made: the walk itself says when it goes. */
function untracked(engine: EngineInternals, tensor: tf.Tensor): tf.Tensor {
  const { track } = engine.state.activeScope!;
  if (track.at(-1) === tensor) track.pop();
  return tensor;
}

function release({ saved }: TapeNode): void {
  for (const tensor of saved) tensor.dispose();
}

function noGradient(): Error {
  return new Error(
    'Cannot compute gradient of y=f(x) with respect to x. Make sure that the f you passed encloses all operations that lead from x to y.',
  );
}
