import { activeAccelerator, floatValues, isHostBackend } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';

/** Where something was found. */
export type Place = 'loss' | 'activation' | 'gradient' | 'buffer';

export interface Suspect {
  readonly place: Place;
  readonly path: string;
  /** Of activations: 0 for the first use of the layer in the pass. */
  readonly callIndex: number;
  /** Of one number, such as the loss, the number itself; else NaN. */
  readonly value: number;
}

/** Looks at the tensors of one batch, which still belong to the caller, and says which of them are not finite. */
export interface FiniteCheck {
  look(place: Place, path: string, tensor: tf.Tensor, callIndex?: number): void;
  /** Everything at once, in the order of looking. This is the only place that reads the device. */
  read(): Suspect[] | Promise<Suspect[]>;
  dispose(): void;
}

export function finiteCheck(backend: string): FiniteCheck {
  return isHostBackend(backend) ? new HostCheck() : new DeviceCheck();
}

class HostCheck implements FiniteCheck {
  readonly #suspects: Suspect[] = [];

  look(place: Place, path: string, tensor: tf.Tensor, callIndex = 0): void {
    if (tensor.dtype !== 'float32') return;
    if (tensor.size > 1 && activeAccelerator()?.allFinite(tensor)) return;
    const values = floatValues(tensor);
    const value = values.length === 1 ? values[0]! : zeroOrNaN(values);
    if (!Number.isFinite(value)) this.#suspects.push({ place, path, callIndex, value });
  }

  read(): Suspect[] {
    return this.#suspects;
  }

  dispose(): void {}
}

/** One number for each tensor stays on the device until all are read together. */
class DeviceCheck implements FiniteCheck {
  readonly #looks: (Omit<Suspect, 'value'> & { number: tf.Tensor })[] = [];

  look(place: Place, path: string, tensor: tf.Tensor, callIndex = 0): void {
    if (tensor.dtype !== 'float32') return;
    // Kept: the loss and activations are seen inside the tidy of the gradient tape.
    const number = tf.keep(
      tf.tidy(() => (tensor.size === 1 ? tf.reshape(tensor, []) : tf.sum(tf.mul(tensor, 0)))),
    );
    this.#looks.push({ place, path, callIndex, number });
  }

  async read(): Promise<Suspect[]> {
    if (this.#looks.length === 0) return [];
    const all = tf.stack(this.#looks.map(({ number }) => number));
    const values = await all.data().finally(() => all.dispose());
    return this.#looks
      .map(({ number: _, ...look }, index) => ({ ...look, value: values[index]! }))
      .filter(({ value }) => !Number.isFinite(value));
  }

  dispose(): void {
    tf.dispose(this.#looks.map(({ number }) => number));
    this.#looks.length = 0;
  }
}

/**
 * 0, or NaN when a value is NaN or infinite: any finite number times 0 is 0, so nothing overflows. Four sums at a time,
 * because a single one waits for each addition to finish before the next can begin.
 */
function zeroOrNaN(values: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = values.length - (values.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += values[i]! * 0;
    b += values[i + 1]! * 0;
    c += values[i + 2]! * 0;
    d += values[i + 3]! * 0;
  }
  for (let i = whole; i < values.length; i++) a += values[i]! * 0;
  return a + b + (c + d);
}
