import * as tf from '@tensorflow/tfjs-core';
import type { GradientRule, TapeNode } from './engine-state.js';
import { copyOfPlain, equalsPlain } from './plain-values.js';
import { isRepeatable } from './repeatable.js';

interface Known {
  readonly shape: readonly number[];
  readonly dtype: string;
  /** Which of the tensors before it this is, by their order; undefined for one from outside. */
  readonly as: number | undefined;
}

interface KnownNode {
  readonly kernelName: string;
  readonly names: readonly string[];
  readonly inputs: readonly (Known | undefined)[];
  readonly outputs: readonly Known[];
  readonly saved: readonly Known[];
  /** What the gradient depends on besides; undefined where its function is called in each step. */
  readonly gradient:
    | { rule: GradientRule | undefined; operation: string | undefined; attrs: unknown }
    | undefined;
}

/**
 * A tape as far as a backward pass depends on it: which operations, what went into each, with what attributes, shapes
 * and types. It holds no tensors: those are the ones of the step.
 */
export class RecordedTape {
  readonly #nodes: readonly KnownNode[];
  readonly #xs: readonly Known[];
  readonly #y: Known;

  constructor(tape: readonly TapeNode[], xs: readonly tf.Tensor[], y: tf.Tensor) {
    const order = new Order();
    this.#xs = xs.map((x) => order.add(x));
    this.#nodes = tape.map((node) => {
      const names = Object.keys(node.inputs);
      return {
        kernelName: node.kernelName,
        names,
        inputs: names.map((name) => node.inputs[name] && order.known(node.inputs[name])),
        outputs: node.outputs.map((output) => order.add(output)),
        saved: node.saved.map((saved) => order.known(saved)),
        gradient: isRepeatable(node)
          ? { rule: node.rule, operation: node.operation, attrs: copyOfPlain(node.attrs)?.plain }
          : undefined,
      };
    });
    this.#y = order.known(y);
  }

  matches(tape: readonly TapeNode[], xs: readonly tf.Tensor[], y: tf.Tensor): boolean {
    if (tape.length !== this.#nodes.length || xs.length !== this.#xs.length) return false;
    const order = new Order();
    if (!xs.every((x, i) => order.addSame(x, this.#xs[i]!))) return false;
    for (let i = 0; i < tape.length; i++) if (!isSame(tape[i]!, this.#nodes[i]!, order)) return false;
    return order.isSame(y, this.#y);
  }
}

function isSame(node: TapeNode, known: KnownNode, order: Order): boolean {
  const { inputs, outputs, saved } = node;
  if (node.kernelName !== known.kernelName) return false;
  let count = 0;
  for (const name in inputs) {
    const [input, expected] = [inputs[name], known.inputs[count]];
    if (name !== known.names[count++]) return false;
    if (!(input && expected ? order.isSame(input, expected) : !input && !expected)) return false;
  }
  if (count !== known.names.length) return false;
  if (outputs.length !== known.outputs.length || saved.length !== known.saved.length) return false;
  for (let i = 0; i < outputs.length; i++) if (!order.addSame(outputs[i]!, known.outputs[i]!)) return false;
  const { gradient } = known;
  if (!gradient) return true;
  for (let i = 0; i < saved.length; i++) if (!isAlike(saved[i]!, known.saved[i]!)) return false;
  return (
    node.rule === gradient.rule &&
    node.operation === gradient.operation &&
    equalsPlain(node.attrs, gradient.attrs)
  );
}

function isAlike({ shape, dtype }: tf.Tensor, known: Known): boolean {
  return dtype === known.dtype && tf.util.arraysEqual(shape, known.shape as number[]);
}

/** The tensors of a step in the order in which they came: two steps are wired alike when the numbers are the same. */
class Order {
  readonly #numbers = new Map<number, number>();
  #next = 0;

  known({ id, shape, dtype }: tf.Tensor): Known {
    return { shape: [...shape], dtype, as: this.#numbers.get(id) };
  }

  add(tensor: tf.Tensor): Known {
    const known = this.known(tensor);
    this.#numbers.set(tensor.id, this.#next++);
    return known;
  }

  isSame(tensor: tf.Tensor, known: Known): boolean {
    return this.#numbers.get(tensor.id) === known.as && isAlike(tensor, known);
  }

  addSame(tensor: tf.Tensor, known: Known): boolean {
    const same = this.isSame(tensor, known);
    this.#numbers.set(tensor.id, this.#next++);
    return same;
  }
}
