import type { Gradients, HostTensor, OptimizerGroupView, OptimizerView } from '@hookline/hook-api';
import { activeAccelerator, copyToHost, fromHost } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { Parameter } from './parameter.js';
import type { UpdateInput, UpdateRule } from './rules/update-rule.js';
import { updateOnCpu } from './update-on-cpu.js';

/** What the loop needs of an optimizer, ours or tfjs's own. */
export interface Optimizer {
  /** What hooks see, and write `lrScale` on. */
  readonly view: OptimizerView;
  readonly parameters: readonly Parameter[];
  /** How many numbers it will remember, where it can tell. */
  readonly stateSize?: number;
  /** Moves the parameters. The gradients stay the caller's. */
  apply(gradients: Gradients): void;
  /** As of the moment of the call, where that can be had. */
  saveState(): Promise<Record<string, HostTensor>>;
  /** Whether a saved tensor belongs to this optimizer. */
  fits(name: string, saved: HostTensor): boolean;
  loadState(tensors: Readonly<Record<string, HostTensor>>): void | Promise<void>;
  /** Forgets what it remembers. */
  dispose?(): void;
}

/** Parameters that move by one rule, with one set of numbers. */
export interface OptimizerGroup {
  readonly view: OptimizerGroupView;
  readonly rule: UpdateRule;
  readonly parameters: readonly Parameter[];
}

/** Applies update rules to groups of parameters; all state goes by parameter path. */
export class RuleOptimizer implements Optimizer {
  readonly view: OptimizerView;
  readonly parameters: readonly Parameter[];
  readonly stateSize: number;
  readonly #slots = new Map<string, tf.Tensor[]>();
  /** Of every slot there can be, by the name it is saved under. */
  readonly #slotShapes: ReadonlyMap<string, string>;
  #step = 0;

  constructor(
    name: string,
    private readonly groups: readonly OptimizerGroup[],
  ) {
    this.view = { name, groups: groups.map(({ view }) => view) };
    this.parameters = groups.flatMap(({ parameters }) => parameters);
    this.stateSize = groups
      .flatMap(({ rule, parameters }) => parameters.map(({ variable }) => variable.size * rule.slots.length))
      .reduce((sum, size) => sum + size, 0);
    this.#slotShapes = new Map(
      groups.flatMap(({ rule, parameters }) =>
        parameters.flatMap(({ path, variable }) =>
          rule.slots.map((slot): [string, string] => [`${path}/${slot}`, String(variable.shape)]),
        ),
      ),
    );
  }

  apply(gradients: Gradients): void {
    this.#step++;
    const scalars = new Map<number, tf.Scalar>();
    const scalar = (number: number) => {
      if (!scalars.has(number)) scalars.set(number, tf.keep(tf.scalar(number)));
      return scalars.get(number)!;
    };
    for (const group of this.groups) this.#applyTo(group, gradients, scalar);
    tf.dispose([...scalars.values()]);
  }

  #applyTo({ view, rule, parameters }: OptimizerGroup, gradients: Gradients, scalar: UpdateInput['scalar']) {
    const accelerator = activeAccelerator();
    const { lr, lrScale, ...rest } = view;
    const hyper = { ...rest, lr: lr * lrScale };
    for (const { path, variable } of parameters) {
      const gradient = gradients[path];
      if (gradient === undefined) continue;
      const slots = this.#slots.get(path) ?? rule.slots.map(() => tf.keep(tf.zerosLike(variable)));
      this.#slots.set(path, slots);
      if (accelerator?.update(rule.spec, { variable, gradient, slots, step: this.#step, hyper })) continue;
      const input = { value: variable, gradient, slots, step: this.#step, hyper, scalar };
      const next = updateOnCpu(rule.spec, input) ?? tf.tidy(() => updatePortably(rule, input));
      const [value, ...nextSlots] = next as [tf.Tensor, ...tf.Tensor[]];
      variable.assign(value);
      // The variable holds its own reference to the data now.
      value.dispose();
      tf.dispose(slots);
      this.#slots.set(
        path,
        nextSlots.map((slot) => tf.keep(slot)),
      );
    }
  }

  saveState(): Promise<Record<string, HostTensor>> {
    const state: Record<string, tf.Tensor | HostTensor> = { step: hostScalar(this.#step) };
    for (const { rule, parameters } of this.groups) {
      for (const { path } of parameters) {
        for (const [index, slot] of (this.#slots.get(path) ?? []).entries()) {
          state[`${path}/${rule.slots[index]}`] = slot;
        }
      }
    }
    return copyToHost(state);
  }

  fits(name: string, { shape }: HostTensor): boolean {
    return name === 'step' || this.#slotShapes.get(name) === String(shape);
  }

  dispose(): void {
    for (const slots of this.#slots.values()) tf.dispose(slots);
    this.#slots.clear();
    this.#step = 0;
  }

  loadState(tensors: Readonly<Record<string, HostTensor>>): void {
    this.dispose();
    this.#step = tensors.step?.data[0] ?? 0;
    for (const { rule, parameters } of this.groups) {
      for (const { path } of parameters) {
        const saved = rule.slots.map((slot) => tensors[`${path}/${slot}`]);
        if (saved.every((tensor) => tensor !== undefined))
          this.#slots.set(
            path,
            saved.map((tensor) => tf.keep(fromHost(tensor))),
          );
      }
    }
  }
}

function updatePortably(rule: UpdateRule, input: UpdateInput): tf.Tensor[] {
  const { value, slots } = rule.update(input);
  return [value, ...slots];
}

function hostScalar(value: number): HostTensor {
  return { dtype: 'int32', shape: [], data: Int32Array.of(value) };
}
