import type { Tensors } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';

/** What a change at one place did. */
export interface Effect {
  readonly path: string;
  /** The position along the axis, where only one was changed. */
  readonly index?: number;
  /** The metric with the change in place. */
  readonly value: number;
  readonly effect: number;
}

/** One number of the outputs: as a scalar tensor, which is read with all the others, or as it is. */
export type Metric<Output extends Tensors = tf.Tensor> = (output: Output) => tf.Tensor | number;

/** What changes at many places did, in the order of the model. */
export class EffectTable {
  constructor(
    /** The metric of the runs that the effects are measured against. */
    readonly baselines: Readonly<Record<string, number>>,
    readonly rows: readonly Effect[],
  ) {}

  /** Effects by path; of one position each where an axis was taken apart. */
  grid(): Map<string, number[]> {
    const grid = new Map<string, number[]>();
    for (const { path, effect } of this.rows) grid.set(path, [...(grid.get(path) ?? []), effect]);
    return grid;
  }

  /** The strongest first. */
  strongest(count: number = this.rows.length): Effect[] {
    return [...this.rows].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, count);
  }

  /** Lines of text: a row for each path, a column for each position. */
  toString(): string {
    const grid = this.grid();
    const width = Math.max(...[...grid.keys()].map((path) => path.length));
    const columns = Math.max(...[...grid.values()].map((effects) => effects.length));
    const heading = Array.from({ length: columns }, (_, index) => (columns > 1 ? String(index) : 'effect'));
    return [
      `${''.padEnd(width)}${heading.map((name) => name.padStart(8)).join('')}`,
      ...[...grid].map(
        ([path, effects]) =>
          path.padEnd(width) + effects.map((effect) => effect.toFixed(3).padStart(8)).join(''),
      ),
    ].join('\n');
  }
}

/** Collects metrics and reads all of them from the device at once. */
export class MetricReader {
  readonly #values: (tf.Tensor | number)[] = [];

  /** Computes the metric of the outputs, and disposes these. */
  add<Output extends Tensors>(metric: Metric<Output>, output: Output): void {
    try {
      const value = tf.tidy(() => {
        const result = metric(output);
        return typeof result === 'number' ? result : tf.reshape(tf.cast(result, 'float32'), []);
      });
      this.#values.push(value);
    } finally {
      tf.dispose(output);
    }
  }

  async read(): Promise<number[]> {
    const scalars = this.#values.filter((value) => typeof value !== 'number');
    if (scalars.length === 0) return this.#values as number[];
    const all = tf.stack(scalars);
    const numbers = await all.data().finally(() => all.dispose());
    let next = 0;
    return this.#values.map((value) => (typeof value === 'number' ? value : numbers[next++]!));
  }

  dispose(): void {
    tf.dispose(this.#values.filter((value) => typeof value !== 'number'));
  }
}
