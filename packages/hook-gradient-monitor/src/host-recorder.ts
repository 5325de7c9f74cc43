import { activeAccelerator, floatValues } from '@hookline/numerics';
import { clone, dispose, type Tensor } from '@tensorflow/tfjs-core';
import type { Distributions } from './distributions.js';
import { hostStatistics, sumOfSquaredDifferences, sumOfSquares } from './host-sums.js';
import type { GradientView, Measurement, Movement, Readings, Recorder, Wanted } from './recorder.js';

/** Measures at once, in double precision, where the data is in our own memory (wasm, cpu). */
export class HostRecorder implements Recorder {
  readonly #gradients: Measurement[] = [];
  readonly #movements: Movement[] = [];
  readonly #weights = new Map<string, Tensor>();

  constructor(private readonly distributions: Distributions) {}

  gradient(view: GradientView, path: string, gradient: Tensor, wanted: Wanted): void {
    const statistics =
      activeAccelerator()?.statistics(gradient) ?? hostStatistics(floatValues(gradient), wanted);
    const { size } = gradient;
    const distribution = wanted.distribution
      ? this.distributions.of(floatValues(gradient), statistics.finite === size)
      : undefined;
    this.#gradients.push({ view, path, size, statistics, distribution });
  }

  weightBefore(path: string, weight: Tensor): void {
    // No copy: an update gives the variable other data, because the clone has a share in the old.
    this.#weights.set(path, clone(weight));
  }

  weightAfter(path: string, weight: Tensor): void {
    const old = this.#weights.get(path);
    if (!old) return;
    this.#movements.push({
      path,
      ...(activeAccelerator()?.movement(old, weight) ?? hostMovement(old, weight)),
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

function hostMovement(old: Tensor, now: Tensor): Omit<Movement, 'path'> {
  const [after, before] = [floatValues(now), floatValues(old)];
  return { before: sumOfSquares(before), change: sumOfSquaredDifferences(after, before) };
}
