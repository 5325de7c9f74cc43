import * as tf from '@tensorflow/tfjs-core';
import type { EngineInternals, Gradients, TapeNode } from './engine-state.js';
import { gradientOf } from './gradient-of.js';
import { share } from './save-tensors.js';

/**
 * Gradients of y with respect to xs, from the tape of its computation. Saved tensors and intermediate gradients are
 * disposed of as soon as they have been used, where tfjs keeps all of them to the end; on an error, all of them too.
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

/** The gradients so far, by the tensor that they belong to. Each is a separate reference: several may share data. */
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

  /** The gradients of an operation's outputs; undefined when there are none. */
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
    // One scope for the operation: what the gradients of several inputs share is computed once and lives until here.
    this.engine.startScope('gradient');
    try {
      const functions = node.gradient(dys);
      for (const name of names) this.#add(node, name, functions);
    } finally {
      this.engine.endScope();
    }
    for (const { id } of node.outputs) {
      // A custom gradient may be for an operation that returns its argument; tfjs then adds the two gradients.
      const isInput = names.some((name) => node.inputs[name]!.id === id);
      if (!isInput && !this.#wanted.has(id)) this.#drop(id);
    }
  }

  #add(node: TapeNode, name: string, functions: Record<string, () => tf.Tensor>): void {
    const x = node.inputs[name]!;
    const dx = gradientOf(node, name, functions);
    const before = this.#sums.get(x.id);
    const sum = before ? tf.add(before, dx) : dx;
    // A separate reference that no scope disposes of: the function may return dy itself, or one tensor for two inputs.
    const own = untracked(this.engine, share(this.engine, sum));
    this.#sums.set(x.id, own);
    before?.dispose();
  }

  /** A gradient that a custom gradient function has kept with tf.keep belongs to the user. */
  #drop(id: number): void {
    const sum = this.#sums.get(id);
    if (sum && !sum.kept) sum.dispose();
    this.#sums.delete(id);
  }

  /** The gradients of xs, which belong to the caller from now on; disposes of the others. */
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

/** Removes a tensor from the scope that it was just made in: the walk decides when to dispose of it. */
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
