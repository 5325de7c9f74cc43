import { floatValues, movementOf, statisticsOf } from '@hookline/numerics';
import { clone, dispose, type Tensor } from '@tensorflow/tfjs-core';
import type { Distributions } from './distributions.js';
import type { GradientView, Measurement, Movement, Readings, Recorder, Wanted } from './recorder.js';

/** Measures at once, in double precision, where the data is in this process's memory (wasm, cpu). */
export class HostRecorder implements Recorder {
  readonly #gradients: Measurement[] = [];
  readonly #movements: Movement[] = [];
  readonly #weights = new Map<string, Tensor>();

  constructor(private readonly distributions: Distributions) {}

  gradient(view: GradientView, path: string, gradient: Tensor, wanted: Wanted): void {
    const statistics = statisticsOf(gradient, wanted);
    const { size } = gradient;
    const distribution = wanted.distribution
      ? this.distributions.of(floatValues(gradient), statistics.finite === size)
      : undefined;
    this.#gradients.push({ view, path, size, statistics, distribution });
  }

  weightBefore(path: string, weight: Tensor): void {
    // Not a copy: the clone shares the data, so the update gives the variable new data instead of overwriting it.
    this.#weights.set(path, clone(weight));
  }

  weightAfter(path: string, weight: Tensor): void {
    const old = this.#weights.get(path);
    if (!old) return;
    this.#movements.push({ path, ...movementOf(old, weight) });
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
