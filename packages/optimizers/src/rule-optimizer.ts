import type { Gradients, HostTensor, OptimizerGroupView, OptimizerView } from '@hookline/hook-api';
import { activeAccelerator, copyToHost, fromHost, hostValues } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { groupView, type NoEffect } from './group-view.js';
import type { HeldOptimizer, Optimizer, Parameter } from './optimizer.js';
import { type TensorArithmetic, tensorArithmetic } from './rules/arithmetic.js';
import { type ArrayArithmetic, arrayArithmetic } from './rules/array-arithmetic.js';
import type { Hyperparameters, UpdateRule } from './rules/update-rule.js';

/** Parameters that move by one rule, with one set of numbers. */
export interface OptimizerGroup {
  readonly numbers: OptimizerGroupView;
  readonly rule: UpdateRule;
  readonly parameters: readonly Parameter[];
}

/** Applies update rules to groups of parameters; its whole state is keyed by parameter path. */
export class RuleOptimizer implements Optimizer {
  readonly view: OptimizerView;
  readonly parameters: readonly Parameter[];
  readonly stateSize: number;
  readonly #groups: readonly OptimizerGroup[];
  readonly #slots = new Map<string, tf.Tensor[]>();
  /** By the size of the parameters. */
  readonly #arrays = new Map<number, ArrayArithmetic>();
  /** The shape of every slot there can be, by the name it is saved under. */
  readonly #slotShapes: ReadonlyMap<string, string>;
  #step = 0;

  constructor(name: string, groups: readonly OptimizerGroup[]) {
    this.#groups = groups;
    const views = groups.map(({ numbers }) => groupView(numbers, withoutEffect(numbers)));
    this.view = Object.freeze({ name, groups: Object.freeze(views) });
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
    const math = tensorArithmetic();
    for (const group of this.#groups) this.#applyTo(group, gradients, math);
    math.dispose();
  }

  #applyTo(
    { numbers, rule, parameters }: OptimizerGroup,
    gradients: Gradients,
    math: TensorArithmetic,
  ): void {
    const accelerator = activeAccelerator();
    const { lr, lrScale, ...rest } = numbers;
    const hyper = { ...rest, lr: lr * lrScale };
    for (const { path, variable } of parameters) {
      const gradient = gradients[path];
      if (gradient === undefined) continue;
      // Kept: the caller's loop may run in a tidy, which would dispose them.
      const slots = this.#slots.get(path) ?? rule.slots.map(() => tf.keep(tf.zerosLike(variable)));
      this.#slots.set(path, slots);
      const update = { variable, gradient, slots, step: this.#step, hyper };
      if (accelerator?.update(rule.spec, update)) continue;
      const [value, ...next] = this.#updateOnCpu(rule, update) ?? updateTensors(rule, update, math);
      variable.assign(value!);
      // The variable holds a reference to the data now.
      value!.dispose();
      tf.dispose(slots);
      this.#slots.set(path, next.map(tf.keep));
    }
  }

  /**
   * What `updateTensors` does, on plain arrays, to the bit; undefined on other backends. The results are new arrays,
   * because on cpu a tensor shares its memory with those who made or read it.
   */
  #updateOnCpu(
    rule: UpdateRule,
    { variable, gradient, slots, step, hyper }: Update,
  ): tf.Tensor[] | undefined {
    if (tf.getBackend() !== 'cpu') return undefined;
    const value = floatsOf(variable);
    const slope = floatsOf(gradient);
    const remembered = slots.map(floatsOf);
    if (!value || !slope || !areAll(remembered)) return undefined;
    const math = this.#arrays.get(variable.size) ?? arrayArithmetic(variable.size);
    this.#arrays.set(variable.size, math);
    math.reuse();
    const updated = rule.update({ value, gradient: slope, slots: remembered, step, hyper, math });
    const { shape } = variable;
    return [updated.value, ...updated.slots].map((values) => tf.tensor(values.slice(), shape));
  }

  saveState(): Promise<Record<string, HostTensor>> {
    return this.#copy(this.#step, this.#slots);
  }

  hold(): HeldOptimizer {
    const step = this.#step;
    const held = clonesOf(this.#slots);
    return {
      saveState: () => this.#copy(step, held),
      putBack: () => {
        this.dispose();
        this.#step = step;
        for (const [path, slots] of clonesOf(held)) this.#slots.set(path, slots);
      },
      release: () => tf.dispose([...held.values()].flat()),
    };
  }

  #copy(step: number, all: ReadonlyMap<string, tf.Tensor[]>): Promise<Record<string, HostTensor>> {
    const state: Record<string, tf.Tensor | HostTensor> = { step: hostScalar(step) };
    for (const { rule, parameters } of this.#groups) {
      for (const { path } of parameters) {
        for (const [index, slot] of (all.get(path) ?? []).entries()) {
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
    for (const { rule, parameters } of this.#groups) {
      for (const { path } of parameters) {
        const saved = rule.slots.map((slot) => tensors[`${path}/${slot}`]);
        if (!saved.every((tensor) => tensor !== undefined)) continue;
        this.#slots.set(
          path,
          saved.map((tensor) => tf.keep(fromHost(tensor))),
        );
      }
    }
  }
}

interface Update {
  variable: tf.Variable;
  gradient: tf.Tensor;
  slots: readonly tf.Tensor[];
  step: number;
  hyper: Hyperparameters;
}

/** The new value and the new slots, which belong to the caller. */
function updateTensors(rule: UpdateRule, update: Update, math: TensorArithmetic): tf.Tensor[] {
  return tf.tidy(() => {
    const { value, slots } = rule.update({ ...update, value: update.variable as tf.Tensor, math });
    return [value, ...slots];
  });
}

function floatsOf(tensor: tf.Tensor): Float32Array | undefined {
  const values = hostValues(tensor);
  return values instanceof Float32Array ? values : undefined;
}

function areAll<Value>(values: readonly (Value | undefined)[]): values is readonly Value[] {
  return !values.includes(undefined);
}

function clonesOf(all: ReadonlyMap<string, readonly tf.Tensor[]>): Map<string, tf.Tensor[]> {
  return new Map([...all].map(([path, slots]) => [path, slots.map((slot) => tf.keep(tf.clone(slot)))]));
}

/** There is a velocity only where there was a momentum from the start. */
function withoutEffect({ momentum }: OptimizerGroupView): NoEffect {
  return momentum === undefined
    ? { momentum: "Give the optimizer one from the start: { name: 'sgd', momentum: 0.9 }." }
    : {};
}

function hostScalar(value: number): HostTensor {
  return { dtype: 'int32', shape: [], data: Int32Array.of(value) };
}
