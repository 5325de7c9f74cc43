import { hostValues } from '@hookline/layer-taps';
import { clone, dispose, type Tensor } from '@tensorflow/tfjs-core';
import { countZeros, momentsOf, sumOfSquaredDifferences, sumOfSquares } from './host-sums.js';
import type { GradientView, Measurement, Movement, Readings, Recorder, Wanted } from './recorder.js';

/** Measures in JavaScript, in double precision, where the data is in our own memory (wasm, cpu). */
export class HostRecorder implements Recorder {
  readonly #gradients: Measurement[] = [];
  readonly #movements: Movement[] = [];
  readonly #weights = new Map<string, Tensor>();

  constructor(private readonly positionsOf: (size: number) => Int32Array | undefined) {}

  gradient(view: GradientView, path: string, gradient: Tensor, wanted: Wanted): void {
    const values = hostValues(gradient);
    const { length: size } = values;
    const sumSquares = sumOfSquares(values);
    // Squares of single-precision numbers cannot overflow a double: the sum is finite when all values are.
    const finite = Number.isFinite(sumSquares) ? values : values.filter(Number.isFinite);
    this.#gradients.push({
      view,
      path,
      size,
      sumSquares,
      finite: finite.length,
      ...(wanted.zeros && { zeros: countZeros(values) }),
      ...(wanted.moments && { moments: momentsOf(finite) }),
      ...(wanted.sample && { sample: pick(values, this.positionsOf(size)) }),
    });
  }

  weightBefore(path: string, weight: Tensor): void {
    // No copy: the update gives the variable new data, and the clone keeps the old.
    this.#weights.set(path, clone(weight));
  }

  weightAfter(path: string, weight: Tensor): void {
    const old = this.#weights.get(path);
    if (!old) return;
    const [after, before] = [hostValues(weight), hostValues(old)];
    this.#movements.push({
      path,
      before: sumOfSquares(before),
      change: sumOfSquaredDifferences(after, before),
    });
    this.#weights.delete(path);
    old.dispose();
  }

  read(): Readings {
    return { gradients: this.#gradients, movements: this.#movements };
  }

  dispose(): void {
    dispose([...this.#weights.values()]);
    this.#weights.clear();
  }
}

function pick(values: Float32Array, positions: Int32Array | undefined): Float32Array {
  if (!positions) return values.slice();
  const picked = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i++) picked[i] = values[positions[i]!]!;
  return picked;
}
