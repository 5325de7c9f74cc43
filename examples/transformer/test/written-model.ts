import * as tf from '@tensorflow/tfjs-core';
import { type Transformer, transformer } from '../src/model/transformer.js';
import { LENGTH, LETTERS } from '../src/task.js';

/** The stream has three places for a letter: which it is, which came before, and which the model says comes next. */
export const WRITTEN_SIZES = {
  letters: LETTERS,
  length: LENGTH,
  width: 3 * LETTERS,
  headSize: LETTERS,
  hidden: 1,
  slopes: [0, 0],
  blocks: 2,
};

const [ITSELF, BEFORE, NEXT] = [0, LETTERS, 2 * LETTERS];

/**
 * A transformer whose weights are written by hand, so that it is known what is in it: L0H1 looks one letter back and
 * writes down which letter it saw; L1H0 looks for the place where the present letter was written down, and says the
 * letter that stands there. The other heads and the MLPs say nothing.
 */
export function writtenModel(): Transformer {
  const model = transformer(WRITTEN_SIZES);
  const parameters = model.parameters();
  const write = (path: string, valueAt: (row: number, column: number) => number) => {
    const { shape } = parameters[path]!;
    const values = tf.buffer(shape);
    for (let row = 0; row < shape[0]!; row++) {
      for (let column = 0; column < (shape[1] ?? 1); column++) values.set(valueAt(row, column), row, column);
    }
    const tensor = values.toTensor();
    parameters[path]!.assign(tensor);
    tensor.dispose();
  };
  const matrices = Object.keys(parameters).filter((path) => parameters[path]!.shape.length === 2);
  for (const path of matrices) write(path, () => 0);

  const from = (place: number, strength: number) => (row: number, column: number) =>
    row === place + column ? strength : 0;
  const to = (place: number, strength: number) => (row: number, column: number) =>
    column === place + row ? strength : 0;
  write('embed/letters', to(ITSELF, 1));
  write('blocks/0/attention/head_1/reach', (distance) => (distance === 1 ? 30 : 0));
  write('blocks/0/attention/head_1/value', from(ITSELF, 1));
  write('blocks/0/attention/head_1/output', to(BEFORE, 0.11));
  write('blocks/1/attention/head_0/query', from(ITSELF, 4));
  // The same letter itself is not looked at, be it the first of all, which had to look at itself.
  write(
    'blocks/1/attention/head_0/key',
    (row, column) => from(BEFORE, 1)(row, column) - from(ITSELF, 1)(row, column),
  );
  write('blocks/1/attention/head_0/value', from(ITSELF, 1));
  write('blocks/1/attention/head_0/output', to(NEXT, 1));
  write('unembed/letters', from(NEXT, 2));
  return model;
}
