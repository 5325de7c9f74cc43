import * as tf from '@tensorflow/tfjs-core';

/** 40 samples of three features and one label. */
export const DATA_ROWS: readonly { readonly xs: number[]; readonly ys: number[] }[] = Array.from(
  { length: 40 },
  (_, i) => ({ xs: [i / 40, 1, 0], ys: [i / 20] }),
);

export type TensorSample = { xs: tf.Tensor; ys: tf.Tensor };

export function tensorSample(): TensorSample {
  return { xs: tf.ones([3]), ys: tf.zeros([1]) };
}

function tensorBatch(): TensorSample {
  return { xs: tf.ones([4, 3]), ys: tf.zeros([4, 1]) };
}

/**
 * Every kind of data that training takes, a new one with each call; `loader` makes a `DataLoader` of the package under
 * test. The names of inputs and outputs are those of `regressor()`.
 */
export function dataKinds<Data>(
  loader: (source: object, options: object) => Data,
): Record<string, () => Data> {
  const xs = DATA_ROWS.map((row) => row.xs);
  const ys = DATA_ROWS.map((row) => row.ys);
  const plain: Record<string, () => object> = {
    tensors: () => ({ xs: tf.tensor2d(xs), ys: tf.tensor2d(ys) }),
    arrays: () => ({ xs: Float32Array.from(xs.flat()), ys, weights: ys.flat() }),
    nested: () => ({ xs: { hidden_input: xs }, ys: { out: ys } }),
    batches: () => [tensorBatch(), { xs, ys }, { xs: tf.tensor2d(xs), ys }],
    generator: () =>
      function* () {
        for (let i = 0; i < 5; i++) {
          yield tensorBatch();
          yield { xs, ys };
          yield { xs: tf.tensor2d(xs), ys };
        }
      },
    dataset: () => ({
      iterator: async () => [tensorBatch(), tensorBatch()][Symbol.iterator](),
      forEachAsync: async () => {},
    }),
  };
  return {
    ...(plain as Record<string, () => never>),
    stream: () => loader(() => repeated(tensorBatch), { shuffle: true, shuffleBuffer: 4, prefetch: 3 }),
    samples: () =>
      loader(() => repeated(tensorSample), {
        samples: true,
        shuffle: true,
        shuffleBuffer: 4,
        dropLast: true,
      }),
    indexed: () => loader({ length: 10, at: async () => tensorSample() }, { samples: true, checkData: true }),
    array: () => loader([tensorSample(), tensorSample()], { samples: true }),
    collated: () =>
      loader([tensorSample(), tensorSample()], {
        // Hands a tensor of the user's on, and makes one that nobody needs.
        collate: ([first]: TensorSample[]) => ({ xs: [xs[0]!], ys: tf.reshape(first!.ys, [1, 1]) }),
        batchSize: 1,
      }),
  };
}

async function* repeated(make: () => TensorSample): AsyncGenerator<TensorSample> {
  for (let i = 0; i < 10; i++) yield make();
}
