import type * as tf from '@tensorflow/tfjs-core';
import type { EngineInternals, TapeNode } from './engine-state.js';
import { gradientOf } from './gradient-of.js';
import { kernelOf } from './kernel-of.js';

/** A place for a tensor in a program, by number. */
export type Slot = number;

/** What a program does, one after the other. */
export type Instruction =
  | {
      readonly kind: 'kernel';
      readonly name: string;
      readonly keys: readonly string[];
      readonly inputs: readonly Slot[];
      readonly isArray: boolean;
      readonly attrs: unknown;
      readonly outputs: readonly Slot[];
    }
  /** Calls the gradient function of an operation on this step's tape. */
  | {
      readonly kind: 'call';
      readonly node: number;
      readonly dys: readonly (Slot | undefined)[];
      readonly names: readonly string[];
      readonly outputs: readonly Slot[];
    }
  /** A saved tensor that is needed for longer than it is saved. */
  | { readonly kind: 'share'; readonly from: Slot; readonly outputs: readonly [Slot] }
  /** What an operation had saved is not needed any more. */
  | { readonly kind: 'release'; readonly node: number };

export interface Plan {
  readonly slots: number;
  readonly instructions: readonly Instruction[];
  readonly saved: readonly { readonly slot: Slot; readonly node: number; readonly index: number }[];
  readonly constants: readonly { readonly slot: Slot; readonly info: tf.TensorInfo }[];
  /** Where the gradient of each x is; undefined for one that has none. */
  readonly results: readonly (Slot | undefined)[];
}

type Backend = NonNullable<EngineInternals['backendInstance']>;

/**
 * A backward pass as the list of kernels that it runs, on the tensors that this step's tape has saved. What it makes is
 * data without tensors, and goes after its last use.
 */
export class Program {
  readonly #lives: Lifetimes;

  constructor(
    private readonly plan: Plan,
    readonly backend: Backend,
  ) {
    this.#lives = lifetimes(plan);
  }

  /** The gradients, which are the caller's; all that the tape has saved is gone after it, whatever happens. */
  run(engine: EngineInternals, tape: readonly TapeNode[]): (tf.Tensor | undefined)[] {
    const { slots, instructions, saved, constants, results } = this.plan;
    const { frees, owned, taken } = this.#lives;
    const values = new Array<tf.TensorInfo | undefined>(slots);
    for (const { slot, info } of constants) values[slot] = info;
    for (const { slot, node, index } of saved) values[slot] = tape[node]!.saved[index];
    engine.startScope('backward');
    try {
      for (let i = 0; i < instructions.length; i++) {
        this.#do(engine, tape, instructions[i]!, values);
        const over = frees[i]!;
        for (let k = 0; k < over.length; k++) this.#free(engine, values, over[k]!);
      }
    } catch (error) {
      for (const node of tape) for (const tensor of node.saved) tensor.dispose();
      for (const slot of owned) this.#free(engine, values, slot);
      engine.endScope();
      throw error;
    }
    engine.endScope();
    return results.map((slot, i) => {
      if (slot === undefined) return undefined;
      return taken[i] ? engine.makeTensorFromTensorInfo(values[slot]!) : this.#tensor(engine, values[slot]!);
    });
  }

  dispose(engine: EngineInternals): void {
    for (const { info } of this.plan.constants) release(engine, this.backend, info);
  }

  #do(
    engine: EngineInternals,
    tape: readonly TapeNode[],
    instruction: Instruction,
    values: (tf.TensorInfo | undefined)[],
  ): void {
    switch (instruction.kind) {
      case 'kernel':
        this.#runKernel(instruction, values);
        break;
      case 'call':
        this.#call(engine, tape[instruction.node]!, instruction, values);
        break;
      case 'share': {
        const shared = values[instruction.from]!;
        this.backend.incRef(shared.dataId);
        values[instruction.outputs[0]] = shared;
        break;
      }
      case 'release':
        for (const tensor of tape[instruction.node]!.saved) tensor.dispose();
    }
  }

  #runKernel(
    { name, keys, inputs, isArray, attrs, outputs }: Instruction & { kind: 'kernel' },
    values: (tf.TensorInfo | undefined)[],
  ): void {
    const given = (isArray ? [] : {}) as Record<string, tf.TensorInfo>;
    for (let i = 0; i < keys.length; i++) given[keys[i]!] = values[inputs[i]!]!;
    // Looked up each time: somebody may have registered another.
    const made = kernelOf(name)!.kernelFunc({
      inputs: given,
      attrs: attrs as tf.NamedAttrMap,
      backend: this.backend,
    });
    if (!Array.isArray(made)) values[outputs[0]!] = this.#own(made);
    else for (let i = 0; i < made.length; i++) values[outputs[i]!] = this.#own(made[i]!);
  }

  /** A kernel may give a tensor, which belongs to the scope. */
  #own(made: tf.TensorInfo): tf.TensorInfo {
    if ((made as tf.Tensor).rank != null) this.backend.incRef(made.dataId);
    return made;
  }

  #call(
    engine: EngineInternals,
    node: TapeNode,
    { dys, names, outputs }: Instruction & { kind: 'call' },
    values: (tf.TensorInfo | undefined)[],
  ): void {
    engine.startScope('gradient');
    try {
      const arriving = dys.map((slot) => (slot === undefined ? null : this.#tensor(engine, values[slot]!)));
      const functions = node.gradient!(arriving);
      for (let i = 0; i < names.length; i++) {
        const dx = gradientOf(node, names[i]!, functions);
        this.backend.incRef(dx.dataId);
        values[outputs[i]!] = { dataId: dx.dataId, shape: dx.shape, dtype: dx.dtype };
      }
    } finally {
      engine.endScope();
    }
    // As tensors they are gone, and the engine forgets data only when nobody at all has it.
    for (const slot of dys) {
      if (slot !== undefined && !this.#lives.owned.has(slot)) settle(engine, this.backend, values[slot]!);
    }
  }

  /** A tensor with a share in the data. */
  #tensor(engine: EngineInternals, { dataId, shape, dtype }: tf.TensorInfo): tf.Tensor {
    this.backend.incRef(dataId);
    return engine.makeTensorFromTensorInfo({ dataId, shape, dtype });
  }

  #free(engine: EngineInternals, values: (tf.TensorInfo | undefined)[], slot: Slot): void {
    const info = values[slot];
    if (!info) return;
    values[slot] = undefined;
    release(engine, this.backend, info);
  }
}

interface Lifetimes {
  /** For each instruction, what is not needed after it. */
  readonly frees: readonly (readonly Slot[])[];
  /** What the program makes: neither saved nor constant. */
  readonly owned: ReadonlySet<Slot>;
  /** For each result, whether the program gives away what it has made; otherwise a share in it. */
  readonly taken: readonly boolean[];
}

function lifetimes({ instructions, results }: Plan): Lifetimes {
  const lastUse = new Map<Slot, number>();
  const owned = new Set<Slot>();
  for (const [i, instruction] of instructions.entries()) {
    for (const slot of usedBy(instruction)) lastUse.set(slot, i);
    for (const slot of madeBy(instruction)) {
      owned.add(slot);
      lastUse.set(slot, i);
    }
  }
  for (const slot of results) if (slot !== undefined) lastUse.delete(slot);
  const frees: Slot[][] = instructions.map(() => []);
  for (const [slot, i] of lastUse) if (owned.has(slot)) frees[i]!.push(slot);
  const taken = results.map(
    (slot, i) => slot !== undefined && owned.has(slot) && results.indexOf(slot) === i,
  );
  return { frees, owned, taken };
}

function usedBy(instruction: Instruction): readonly Slot[] {
  switch (instruction.kind) {
    case 'kernel':
      return instruction.inputs;
    case 'call':
      return instruction.dys.filter((slot) => slot !== undefined);
    case 'share':
      return [instruction.from];
    case 'release':
      return [];
  }
}

function madeBy(instruction: Instruction): readonly Slot[] {
  return instruction.kind === 'release' ? [] : instruction.outputs;
}

function release(engine: EngineInternals, backend: Backend, { dataId }: tf.TensorInfo): void {
  // The engine counts data that has been a tensor once.
  if (backend.disposeData(dataId)) engine.removeDataId(dataId, backend);
}

/** Has the engine forget data that is no tensor any more, and stays. */
function settle(engine: EngineInternals, backend: Backend, { dataId }: tf.TensorInfo): void {
  if (backend.refCount(dataId) === 1) engine.removeDataId(dataId, backend);
}
