import * as tf from '@tensorflow/tfjs-core';

/** The weights of a model by path, in the order in which its parts ask for them. */
export class Parameters {
  readonly byPath: Record<string, tf.Variable> = {};

  /** Numbers around 0. The draws follow `Math.random`, which is the run's own while the trainer builds a model. */
  normal(path: string, shape: [number, number], deviation: number): tf.Tensor2D {
    return this.#add(path, tf.randomNormal(shape, 0, deviation));
  }

  /** Numbers by their place. */
  values<Shape extends tf.Rank>(
    path: string,
    shape: tf.ShapeMap[Shape],
    valueAt: (place: number) => number,
  ): tf.Tensor<Shape> {
    const length = tf.util.sizeFromShape(shape);
    return this.#add(
      path,
      tf.tensor(
        Float32Array.from({ length }, (_, place) => valueAt(place)),
        shape,
      ),
    );
  }

  #add<Value extends tf.Tensor>(path: string, value: Value): Value {
    const variable = tf.variable(value);
    value.dispose();
    this.byPath[path] = variable;
    return variable as unknown as Value;
  }
}
