import type { HostTensor } from '@hookline/hook-api';
import type { TensorCopies } from '../messages.js';

/**
 * The values of a tensor of the worker. It is read like a tensor, and takes part in no operation: `tf.tensor(copy.dataSync(),
 * copy.shape)` makes a tensor of this side.
 */
export class TensorCopy {
  readonly dtype: HostTensor['dtype'];
  readonly shape: number[];
  readonly #values: HostTensor['data'];

  constructor({ dtype, shape, data }: HostTensor) {
    this.dtype = dtype;
    this.shape = [...shape];
    this.#values = data;
  }

  get size(): number {
    return this.#values.length;
  }

  get rank(): number {
    return this.shape.length;
  }

  dataSync(): HostTensor['data'] {
    return this.#values;
  }

  async data(): Promise<HostTensor['data']> {
    return this.#values;
  }
}

/** Puts copies where the tensors were. Lists become records: what else they held has stayed in the worker. */
export function treeOf(copies: TensorCopies): unknown {
  const root: Record<string, unknown> = {};
  for (const { place, copy } of copies) {
    const last = place.at(-1);
    if (last === undefined) return new TensorCopy(copy);
    const holder = place.slice(0, -1).reduce((part, key) => {
      part[key] ??= {};
      return part[key] as Record<string, unknown>;
    }, root);
    holder[last] = new TensorCopy(copy);
  }
  return root;
}
