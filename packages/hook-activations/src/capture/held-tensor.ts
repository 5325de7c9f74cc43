import type { HostTensor } from '@hookline/hook-api';
import { floatValues, isHostBackend } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { assertReadsNow } from '../measure/assert-reads-now.js';

/** A captured tensor: on the device, or on the host, or on its way from one to the other. */
export class HeldTensor {
  #tensor: tf.Tensor | undefined;
  #host: HostTensor | undefined;

  /** Of numbers or booleans. On `host` its values are copied at once where they are in our own memory, and when somebody reads otherwise. */
  constructor(
    tensor: tf.Tensor,
    private readonly store: 'host' | 'device',
  ) {
    if (store === 'host' && isHostBackend(tf.getBackend())) {
      const { dtype, shape } = tensor;
      this.#host = { dtype, shape: [...shape], data: valuesOf(tensor).slice() } as HostTensor;
    } else {
      this.#tensor = tf.keep(tf.clone(tensor));
    }
  }

  get tensor(): tf.Tensor | undefined {
    return this.#tensor;
  }

  /** Waits for the device where it must. */
  toHostNow(): HostTensor {
    if (this.#host) return this.#host;
    assertReadsNow(
      'getCapturedStates',
      this.store === 'device'
        ? 'Use getCapturedTensors and `await tensor.data()`.'
        : 'Call `await settle()` first.',
    );
    const tensor = this.#tensor!;
    return this.#settle(tensor, tensor.dataSync());
  }

  async toHost(): Promise<HostTensor> {
    const tensor = this.#tensor;
    return this.#host ?? this.#settle(tensor!, await tensor!.data());
  }

  /** Brings a tensor that is for the host there. One that is dropped meanwhile stays dropped. */
  async settle(): Promise<void> {
    const tensor = this.#tensor;
    if (!tensor || this.store === 'device') return;
    const values = await tensor.data();
    if (this.#tensor === tensor) this.#settle(tensor, values);
  }

  dispose(): void {
    this.#tensor?.dispose();
    this.#tensor = undefined;
  }

  #settle({ dtype, shape }: tf.Tensor, values: ArrayLike<number>): HostTensor {
    const host = { dtype, shape: [...shape], data: (values as Float32Array).slice() } as HostTensor;
    // On the device it stays a tensor, and is read again by who asks again.
    if (this.store === 'device') return host;
    this.#host = host;
    this.dispose();
    return host;
  }
}

function valuesOf(tensor: tf.Tensor): HostTensor['data'] {
  return tensor.dtype === 'float32' ? floatValues(tensor) : (tensor.dataSync() as Int32Array | Uint8Array);
}
