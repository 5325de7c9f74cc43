import * as tf from '@tensorflow/tfjs-core';

const ORDERED: unique symbol = Symbol.for('hookline.tape-order');

interface TapeNode {
  readonly inputs: Readonly<Record<string, tf.Tensor>>;
  readonly outputs: readonly tf.Tensor[];
}

/** The parts of the engine of tfjs that are used here. */
interface Engine {
  addTapeNode: AddTapeNode & { [ORDERED]?: true };
  readonly state: { readonly activeTape?: TapeNode[] | null };
}

type AddTapeNode = (
  this: Engine,
  name: unknown,
  inputs: unknown,
  outputs: unknown,
  gradient: unknown,
  saved: unknown,
  attrs: unknown,
) => void;

/**
 * Operations such as exp, tanh, sigmoid and softmax save their result for their gradient. tfjs notes the saved copy on the
 * tape before the operation that made it, so that nothing seems to lead to the copy, and a gradient of a gradient lacks
 * everything that goes through it, without an error. Here the operation comes first. A second call changes nothing.
 */
export function orderTape(): void {
  const engine = tf.engine() as unknown as Engine;
  const stock = engine.addTapeNode;
  if (stock[ORDERED]) return;
  const ordered: Engine['addTapeNode'] = function (name, inputs, outputs, gradient, saved, attrs) {
    stock.call(this, name, inputs, outputs, gradient, saved, attrs);
    const tape = this.state.activeTape;
    if (tape) moveBeforeCopies(tape);
  };
  ordered[ORDERED] = true;
  engine.addTapeNode = ordered;
}

function moveBeforeCopies(tape: TapeNode[]): void {
  const last = tape.length - 1;
  const { outputs } = tape[last]!;
  let place = last;
  while (place > 0 && isCopyOf(outputs, tape[place - 1]!)) place--;
  if (place < last) tape.splice(place, 0, tape.pop()!);
}

function isCopyOf(outputs: readonly tf.Tensor[], { inputs }: TapeNode): boolean {
  const { x } = inputs;
  return x !== undefined && outputs.includes(x);
}
