import type { Feed, FeedState } from '@hookline/data';
import type { HookLogger, HostTensor, JsonValue } from '@hookline/hook-api';
import { type RandomWords, withPrefix } from '@hookline/numerics';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import type { Objective } from '../objective/objective.js';
import { type HeldState, holdState, holdStep, type Stateful } from './held-state.js';
import { Progress } from './progress.js';

/** What can come next, in the order of an epoch. */
export const PHASES = [
  /** A batch, or the end of the batches. */
  'batch',
  /** What is due after an optimizer step: the log, and perhaps a validation. */
  'boundary',
  'validation',
  'epochValidation',
  'epochEnd',
  /** The log of the epoch that has just ended. */
  'epochLog',
] as const;

export type Phase = (typeof PHASES)[number];

/** Where training is; JSON. */
export type Place = {
  /** Optimizer steps that are done. */
  step: number;
  /** Batches that are done, of the first epoch that is not completed. */
  batchesDone: number;
  /** `onStepStart` has been fired for the step that is next. */
  stepBegun: boolean;
  next: Phase;
};

/** What a snapshot holds of the loop. */
export interface SavedLoop {
  loaders: FeedState | null;
  /** Absent when the loop had not begun. */
  progress?: JsonValue;
}

/**
 * Where training is, and what a resumed run continues with. The loop commits each part that is done for good: a
 * batch, a step, a validation, an epoch. In between, a snapshot shows what was before, and a resumed run does that
 * part again.
 */
export class Cursor {
  readonly place: Place = { step: 0, batchesDone: 0, stepBegun: false, next: 'batch' };
  #progress: Progress | undefined;
  #data: Feed | undefined;
  /** `onStepStart` has been fired, in a batch that may not be committed yet. */
  #stepBegun = false;
  /** What the part that is under way may have changed, as it was before. */
  #held: HeldState | undefined;
  /** Of an earlier run, until the loop begins. */
  #saved: { loop: SavedLoop; partial: Readonly<Record<string, HostTensor>> } | undefined;

  constructor(private readonly run: Stateful & { readonly logger: HookLogger }) {}

  /** The loop has begun: the cursor cannot be moved to another place any more. */
  get isFixed(): boolean {
    return this.#progress !== undefined;
  }

  /** What is added up and not used yet; there once the loop has begun. */
  get progress(): Progress {
    return this.#progress!;
  }

  /** Takes the place of an earlier run; for before `begin`. */
  resume(place: Partial<Place>, loop: SavedLoop, partial: Readonly<Record<string, HostTensor>>): void {
    Object.assign(this.place, { stepBegun: false, next: 'batch', ...place });
    this.#saved = { loop, partial };
  }

  /** The loop begins, where an earlier run left off if there is one. */
  begin(objective: Objective, data?: Feed): void {
    this.#progress = new Progress(objective);
    this.#data = data;
    if (data) data.logger = this.run.logger;
    const saved = this.#saved;
    this.#saved = undefined;
    if (!saved) return;
    const { loaders, progress } = saved.loop;
    if (data && loaders && !data.resume(loaders)) {
      // The epoch starts over: nothing of it is done.
      Object.assign(this.place, { batchesDone: 0, stepBegun: false, next: 'batch' });
      return;
    }
    if (progress) this.#progress.load(progress, saved.partial);
    this.#stepBegun = this.place.stepBegun;
  }

  /** Does a part of the epoch if it is next; one that an earlier run has done is passed over. */
  async at(phases: Phase | readonly Phase[], part: () => void | Promise<void>): Promise<void> {
    if (typeof phases === 'string' ? this.isAt(phases) : phases.includes(this.place.next)) await part();
  }

  isAt(phase: Phase): boolean {
    return this.place.next === phase;
  }

  /** Whether this batch is the first of a step; asked once for each batch. */
  beginStep(): boolean {
    const begins = !this.#stepBegun;
    this.#stepBegun = true;
    return begins;
  }

  /** Whether more batches are needed to complete the step. */
  get isWithinStep(): boolean {
    return this.#stepBegun;
  }

  /** A part begins that is done as a whole or not at all. */
  hold(): void {
    this.release();
    this.#held = holdState(this.run);
  }

  /** The same for a step that makes several updates. */
  holdStep(): void {
    this.release();
    this.#held = holdStep(this.run);
  }

  /** That part is done: the change takes effect together with `work`, and a resumed run continues after it. */
  commit<Result>(change: Partial<Place>, work?: () => Result): Result | undefined {
    const result = work?.();
    this.release();
    Object.assign(this.place, change);
    if (change.stepBegun !== undefined) this.#stepBegun = change.stepBegun;
    // Only batches consume data, and the end of an epoch has its own way to say so.
    const consumes = change.batchesDone !== undefined || change.next === 'epochValidation';
    if (consumes && change.next !== 'epochLog') this.#data?.commit();
    return result;
  }

  /** The epoch is done, whether its data was used to the end or not. */
  commitEpoch(work: () => void): void {
    this.commit({ batchesDone: 0, next: 'epochLog' }, work);
    this.#data?.commitEpoch();
  }

  /** Puts back what a forward pass has changed; the random state stays as it is. */
  undo(): void {
    this.#held?.putBack();
  }

  /** Forgets what was before: from here on, things are as they should be. */
  release(): void {
    this.#held?.release();
    this.#held = undefined;
  }

  /** The states of the optimizers, at the moment of the call. */
  saveOptimizers(): Promise<Record<string, HostTensor>>[] {
    return (this.#held?.optimizers ?? this.run.optimizers).map((optimizer) => optimizer.saveState());
  }

  get random(): RandomWords {
    return this.#held?.random ?? this.run.random.save();
  }

  valueOf(variable: Variable): Tensor {
    return this.#held?.values.get(variable) ?? variable;
  }

  /** As JSON, and as tensors, which stay where they are. */
  save(): { loop: SavedLoop; partial: Record<string, Tensor | HostTensor> } {
    const layerStates = this.#held?.layerStates ?? this.run.trainable.layerStates.read();
    const states = withPrefix(layerStates, 'states/');
    if (this.#saved) return { loop: this.#saved.loop, partial: { ...this.#saved.partial, ...states } };
    const saved = this.#progress?.save();
    return {
      loop: { loaders: this.#data?.saveState() ?? null, ...(saved && { progress: saved.json }) },
      partial: { ...saved?.tensors, ...states },
    };
  }

  dispose(): void {
    this.release();
    this.#progress?.dispose();
  }
}
