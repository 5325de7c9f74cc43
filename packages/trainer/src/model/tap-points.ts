import type { ForwardOptions } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { TapHandler } from './trainable.js';

interface PointTap {
  readonly wanted: (path: string) => boolean;
  readonly handler: TapHandler;
}

/** The points that a module shows with `tap(path, output)`, and who listens to them. */
export class TapPoints {
  readonly #seen = new Set<string>();
  #taps: readonly PointTap[] = [];

  /** Those seen so far; undefined before the first. */
  get paths(): readonly string[] | undefined {
    return this.#seen.size > 0 ? [...this.#seen] : undefined;
  }

  /** Returns how to remove it again. */
  tap(wanted: PointTap['wanted'], handler: TapHandler): () => void {
    const tap = { wanted, handler };
    this.#taps = [...this.#taps, tap];
    return () => {
      this.#taps = this.#taps.filter((other) => other !== tap);
    };
  }

  /** The options of one forward pass. */
  pass(training: boolean): ForwardOptions {
    const calls = new Map<string, number>();
    return {
      training,
      tap: <Output extends Tensor>(path: string, output: Output): Output => {
        this.#seen.add(path);
        if (this.#taps.length === 0) return output;
        const callIndex = calls.get(path) ?? 0;
        calls.set(path, callIndex + 1);
        let current: Tensor = output;
        for (const { wanted, handler } of this.#taps) {
          if (!wanted(path)) continue;
          current = handler({ path, inputs: [], output: current, training, callIndex }) ?? current;
        }
        return current as Output;
      },
    };
  }
}
