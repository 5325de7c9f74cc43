import type { Gradients, HostTensor, OptimizerGroupView, OptimizerView } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { Parameter } from '../model/trainable.js';
import { fromHost, toHost } from '../tensors.js';
import type { UpdateRule } from './update-rule.js';

/** What the loop needs of an optimizer, ours or tfjs's own. */
export interface Optimizer {
  /** What hooks see, and write `lrScale` on. */
  readonly view: OptimizerView;
  readonly parameters: readonly Parameter[];
  /** Moves the parameters. The gradients stay the caller's. */
  apply(gradients: Gradients): void;
  saveState(): Promise<Record<string, HostTensor>>;
  /** Whether a saved tensor belongs to this optimizer. */
  fits(name: string, saved: HostTensor): boolean;
  loadState(tensors: Readonly<Record<string, HostTensor>>): void | Promise<void>;
}

/** Applies an update rule to parameters; all state goes by parameter path. */
export class RuleOptimizer implements Optimizer {
  readonly view: OptimizerView;
  readonly #group: OptimizerGroupView;
  readonly #slots = new Map<string, tf.Tensor[]>();
  #step = 0;

  constructor(
    private readonly rule: UpdateRule,
    readonly parameters: readonly Parameter[],
    group: OptimizerGroupView,
  ) {
    this.#group = group;
    this.view = { name: rule.name, groups: [group] };
  }

  apply(gradients: Gradients): void {
    this.#step++;
    const { lr, lrScale, ...rest } = this.#group;
    const hyper = { ...rest, lr: lr * lrScale };
    const scalars = new Map<number, tf.Scalar>();
    const scalar = (number: number) => {
      if (!scalars.has(number)) scalars.set(number, tf.keep(tf.scalar(number)));
      return scalars.get(number)!;
    };
    for (const { path, variable } of this.parameters) {
      const gradient = gradients[path];
      if (gradient === undefined) continue;
      const slots = this.#slots.get(path) ?? this.rule.slots.map(() => tf.zerosLike(variable));
      const next = tf.tidy(() => {
        const input = { value: variable, gradient, slots, step: this.#step, hyper, scalar };
        const { value, slots: nextSlots } = this.rule.update(input);
        return [value, ...nextSlots];
      });
      const [value, ...nextSlots] = next as [tf.Tensor, ...tf.Tensor[]];
      variable.assign(value);
      // The variable holds its own reference to the data now.
      value.dispose();
      tf.dispose(slots);
      this.#slots.set(path, nextSlots);
    }
    tf.dispose([...scalars.values()]);
  }

  async saveState(): Promise<Record<string, HostTensor>> {
    const state: Record<string, HostTensor> = { step: hostScalar(this.#step) };
    for (const [path, slots] of this.#slots) {
      for (const [index, slot] of slots.entries())
        state[`${path}/${this.rule.slots[index]}`] = await toHost(slot);
    }
    return state;
  }

  fits(name: string, { shape }: HostTensor): boolean {
    if (name === 'step') return true;
    const parameter = this.parameters.find(({ path }) =>
      this.rule.slots.some((slot) => name === `${path}/${slot}`),
    );
    return String(parameter?.variable.shape) === String(shape);
  }

  loadState(tensors: Readonly<Record<string, HostTensor>>): void {
    for (const slots of this.#slots.values()) tf.dispose(slots);
    this.#slots.clear();
    this.#step = tensors.step?.data[0] ?? 0;
    for (const { path } of this.parameters) {
      const saved = this.rule.slots.map((slot) => tensors[`${path}/${slot}`]);
      if (saved.every((tensor) => tensor !== undefined)) this.#slots.set(path, saved.map(fromHost));
    }
  }
}

function hostScalar(value: number): HostTensor {
  return { dtype: 'int32', shape: [], data: Int32Array.of(value) };
}
